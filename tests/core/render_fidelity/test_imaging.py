"""Pictures: known by content, decoded safely, compared so that what matters comes first."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageChops, ImageDraw, ImageFilter
from skimage.metrics import structural_similarity

from core.errors import BadInput, Stale
from core.render_fidelity.imaging.compare import common_scale, compare
from core.render_fidelity.imaging.decode import decode
from core.render_fidelity.imaging.pictures import FileRef, Pictures
from core.render_fidelity.imaging.sheet import Cell, contact_sheet
from core.render_fidelity.imaging.ssim import ssim_map, tile_map
from core.render_fidelity.imaging.tolerant import unexplained
from tests.core.render_fidelity.build_pack import save
from tests.core.render_fidelity.hostile import PAGE, pictures, saved

ROOT = Path(__file__).parents[3]
HOSTILE = pictures()


def slide(words="42.7%", ring=False):
    image = Image.new("RGB", (2560, 1440), "#101418")
    pen = ImageDraw.Draw(image)
    pen.text((200, 120), "Operating margin", fill="white", font_size=88)
    for row in range(8):
        pen.text((1200, 320 + row * 80), f"line {row} of plain words that stay as they are", fill="#aab", font_size=40)
    pen.rectangle((200, 600, 600, 1280), fill="#f2a900")
    pen.text((260, 480), words, fill="white", font_size=68)
    if ring:
        pen.ellipse((1800, 1080, 2000, 1280), outline="#f2a900", width=16)
    return image


def compared(one, other):
    return compare(decode(saved(one, "PNG"), "one"), decode(saved(other, "PNG"), "other"))


@pytest.mark.parametrize("name", list(HOSTILE))
def test_hostile_and_broken_pictures(name):
    raw, reason = HOSTILE[name]
    if reason is None:
        assert decode(raw, name).image.mode == "RGB"
    else:
        with pytest.raises(BadInput, match=reason) as caught:
            decode(raw, name)
        assert name in str(caught.value)
        assert "\n" not in str(caught.value)


def test_what_is_done_to_a_picture_is_said():
    notes = {name: decode(raw, name).header.notes for name, (raw, reason) in HOSTILE.items() if reason is None}
    assert notes["good"] == notes["JPEG named PNG"] == notes["WebP named PNG"] == ()
    assert notes["CMYK"] == ("CMYK converted to 8-bit RGB",)
    assert notes["16-bit"] == ("16-bit grey scaled to 8 bits",)
    assert notes["animated"] == notes["animated WebP"] == ("an animation: its first frame is shown",)
    assert notes["turned by EXIF"] == notes["turned PNG"] == ("turned as its EXIF says",)
    assert notes["transparent palette"] == ("transparent: shown and compared on white",)


@pytest.mark.parametrize("name", ["turned by EXIF", "turned PNG"])
def test_exif_turns_the_page(name):
    found = decode(HOSTILE[name][0], name)
    assert found.size == (found.header.width, found.header.height) == (90, 160)


def test_hostile_pictures_stay_under_a_gigabyte():
    script = ROOT / "tests" / "core" / "render_fidelity" / "hostile.py"
    done = subprocess.run([sys.executable, str(script)], cwd=ROOT, env={"PYTHONPATH": str(ROOT), "PATH": ""},
                          capture_output=True, text=True, timeout=120, check=True)  # fmt: skip
    peak = int(done.stdout.split()[-1]) / 1024
    assert peak < 1024, f"{peak:.0f} MB"


def test_equal_pages_differ_in_nothing():
    found = compared(slide(), slide()).comparison
    assert (found.changed, found.ssim, found.regions, found.shift) == (0.0, 1.0, (), None)


def test_a_changed_number_comes_before_a_harmless_blur():
    other = slide("47.2%").filter(ImageFilter.GaussianBlur(0.7))
    found = compared(slide(), other).comparison
    first = found.regions[0]
    assert (250 < first.x < 460, 480 < first.y < 560, first.width < 320, first.height < 160) == (True,) * 4
    assert len(found.regions) > 3  # the blur touches everything else


def test_an_invented_ring_and_a_missing_one_are_found_alike():
    for one, other in ((slide(), slide(ring=True)), (slide(ring=True), slide())):
        first = compared(one, other).comparison.regions[0]
        assert abs(first.x - 1800) < 16
        assert abs(first.width - 200) < 24


@pytest.mark.parametrize("move", [(3, 1), (-5, 4), (2, 0), (0, -7)])
def test_a_shifted_page_is_told_to_the_pixel_with_what_else_changed(move):
    found = compared(slide(), ImageChops.offset(slide("47.2%"), *move)).comparison
    assert (found.shift.x, found.shift.y) == move
    assert found.regions[0].what == "shift"
    assert abs(found.regions[1].x - 296 - move[0]) < 16
    assert abs(found.regions[1].y - 496 - move[1]) < 16


def test_an_average_hides_what_the_worst_tile_shows():
    figure = compared(slide(), slide("47.2%")).comparison
    blur = compared(slide(), slide().filter(ImageFilter.GaussianBlur(0.8))).comparison
    assert figure.ssim > blur.ssim  # on average the wrong figure looks better
    assert figure.worst_tiles[0][2] < blur.worst_tiles[0][2]


def test_ssim_is_scikit_images():
    one, other = (np.asarray(page.convert("L"), np.float32) for page in (slide(), slide("47.2%", ring=True)))
    mean, full = structural_similarity(one, other, full=True, data_range=255)
    ours = ssim_map(one, other)
    assert np.abs(ours - full).max() < 2e-3
    assert abs(float(ours[3:-3, 3:-3].mean()) - mean) < 1e-4  # scikit-image leaves the rim out of its mean


def test_tiles_average_their_part_of_the_map():
    values = np.arange(70 * 100, dtype=np.float32).reshape(70, 100)
    found = tile_map(values)
    assert found.shape == (3, 4)
    assert found[0, 0] == pytest.approx(values[:32, :32].mean())
    assert found[2, 3] == pytest.approx(values[64:, 96:].mean())


def test_a_move_within_reach_explains_a_difference_and_another_thing_does_not():
    moved = unexplained(slide(), ImageChops.offset(slide(), 1, 1))
    other = unexplained(slide(), slide(ring=True))
    assert np.percentile(moved, 99.9) < 0.5 * np.percentile(other, 99.9)
    assert other.max() > 150


def test_sizes_that_differ_are_compared_at_one_scale_and_said():
    found = compared(slide(), slide().resize((1280, 720))).comparison
    assert found.notes[0] == "original 2560×1440, render 1280×720: compared at the render's scale"
    longer = Image.new("RGB", (2560, 1800), "white")
    longer.paste(slide())
    canvas, notes = common_scale(longer, slide())
    assert canvas.size == (2560, 1440)
    assert "cut below" in notes[0]
    assert "padded below" in common_scale(slide(), longer)[1][0]


@pytest.fixture
def files(tmp_path):
    def ref(name, image, **options):
        path = tmp_path / name
        return FileRef(path, name, save(path, image, **options))

    return ref


def test_originals_are_served_as_their_own_bytes(files, tmp_path):
    file = files("a.png", slide(), format="JPEG")
    served = Pictures(tmp_path / "kept").page(file)
    assert (served.content, served.media) == (file.path.read_bytes(), "image/jpeg")


def test_what_a_browser_would_show_otherwise_is_converted_without_loss(files, tmp_path):
    file = files("a.png", PAGE.convert("CMYK"), format="JPEG")
    served = Pictures(tmp_path / "kept").page(file)
    assert served.media == "image/png"
    assert decode(served.content, "x").image.tobytes() == decode(file.path.read_bytes(), "y").image.tobytes()


def test_another_content_is_another_page(files):
    file = files("a.png", slide())
    save(file.path, slide("47.2%"))
    for deed in (Pictures(None).page, Pictures(None).thumb):
        with pytest.raises(Stale):
            deed(file)


def test_derived_pictures_are_made_once_and_kept_by_hash(files, tmp_path, monkeypatch):
    one, other, kept = files("a.png", slide()), files("b.png", slide("47.2%")), tmp_path / "kept"
    pictures_ = Pictures(kept)
    first = (
        pictures_.comparison(one, other),
        pictures_.veil(one, other),
        pictures_.heat(one, other),
        pictures_.thumb(one),
    )
    monkeypatch.setattr("core.render_fidelity.imaging.pictures.decode", lambda *_: pytest.fail("decoded again"))
    assert (
        pictures_.comparison(one, other),
        pictures_.veil(one, other),
        pictures_.heat(one, other),
        pictures_.thumb(one),
    ) == first
    assert len(list(kept.iterdir())) == 4
    assert not list(kept.glob("*.tmp"))


def test_without_a_folder_to_write_to_it_still_works(files, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_bytes(b"")
    found = Pictures(blocked / "below").comparison(files("a.png", slide()), files("b.png", slide("47.2%")))
    assert found == json.loads(json.dumps(compared(slide(), slide("47.2%")).comparison.as_dict()))


def test_the_veil_has_holes_exactly_where_something_changed(files):
    veil = Pictures(None).veil(files("a.png", slide()), files("b.png", slide("47.2%")))
    from io import BytesIO

    with Image.open(BytesIO(veil.content)) as image:
        alpha = np.asarray(image.convert("RGBA").getchannel("A"))
    assert alpha.shape == (1440, 2560)
    rows, columns = np.nonzero(alpha == 0)
    assert rows.size > 100
    assert (rows.min() > 470, rows.max() < 580, columns.min() > 240, columns.max() < 520) == (True,) * 4


def test_a_contact_sheet_shows_an_unreadable_page_with_its_reason(files, tmp_path):
    bad = tmp_path / "bad.png"
    bad.write_bytes(b"nothing")
    broken = FileRef(bad, "bad.png", hashlib.sha256(b"nothing").hexdigest())
    cells = [Cell("1 cover", files("a.png", slide())), Cell("2 kpi", broken), Cell("3 end", None, "no such file")]
    sheet = contact_sheet([("render", cells), ("original", cells)], Pictures(None))
    assert sheet.size[0] == 5 * 336 + 16
    assert sheet.getpixel((20, 100)) != sheet.getpixel((360, 100))
    assert sheet.getpixel((340 + 300, 200)) == sheet.getpixel((340 + 2 * 300, 200)) != (244, 246, 248)
