"""The render page without a browser, and the route that sends its pictures."""

import json
import shutil
import time

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core.decisions import open_log
from core.people import local_person
from core.render_fidelity import serving, views
from core.workspace import Workspace
from pages.render_fidelity import images, load, routes
from tests.core.render_fidelity.build_pack import build, hashes, picture, save, verdict_file
from tests.core.render_fidelity.hostile import pictures
from tests.pages.conftest import shown


@pytest.fixture
def place(tmp_path):
    folder = build(tmp_path)
    return folder, Workspace.open(tmp_path)


def see_all(workspace, name="Ann"):
    """As if this reviewer had looked at every page at full resolution."""
    standing = images.standing_of(workspace, "ppt-good")
    keys = load.page_keys(standing, images.shown_of(workspace, "ppt-good"))
    for key in keys.values():
        views.record_view(open_log(workspace), local_person(name), "ppt-good", key, key, 1.0)


def test_without_packs_it_says_what_would_fill_it(run_page, tmp_path):
    app = run_page("render_fidelity", tmp_path)
    assert "No design pack here" in shown(app)
    assert "design-packs" in shown(app)


def test_an_unscored_pack(run_page, place):
    app = run_page("render_fidelity", place[1].root, slug="ppt-good")
    words = shown(app)
    assert "13 of 13 checks" in words
    assert "0 of 3 pages seen" in words
    assert "nobody has scored it" in words
    assert app.button(key="render_pass").disabled
    assert "3 pages not seen at 100%" in words


def test_pass_is_offered_when_all_is_seen_and_the_rules_give_it(run_page, place):
    folder, workspace = place
    second = {"verifier": "gpt-5.6-sol", "total": 24}
    path = verdict_file(folder, [4, 4, 3, 3, 3, 4, 4], cross_check=second)
    app = run_page("render_fidelity", workspace.root, slug="ppt-good")
    assert app.button(key="render_pass").disabled
    see_all(workspace, "Bo")
    assert app.run().button(key="render_pass").disabled  # Bo's eyes are not Ann's
    see_all(workspace)
    app.run()
    assert not app.button(key="render_pass").disabled
    app.button(key="render_pass").click().run()
    assert not app.exception
    saved = json.loads(path.read_text())
    assert (saved["verdict"], saved["reviewer"], saved["adopted_total"]) == ("pass", "Ann", 24)
    (record,) = open_log(workspace).records(action="render.scored")
    assert record.reviewer == "Ann"


def test_what_is_recorded_takes_the_pass_away(run_page, place):
    folder, workspace = place
    verdict_file(folder, [4, 4, 3, 3, 3, 4, 4], cross_check={"verifier": "gpt-5.6-sol", "total": 24})
    see_all(workspace)
    app = run_page("render_fidelity", workspace.root, slug="ppt-good")
    app.text_area(key="render_fidelity_value_errors_ppt-good").set_value("42.7 became 47.2").run()
    assert app.button(key="render_pass").disabled
    assert "an error in a number, unit or chart direction: 42.7 became 47.2" in shown(app)
    assert "not saved" in shown(app)


def test_a_failed_check_stands_on_top_and_locks_scoring(run_page, place):
    folder, workspace = place
    (folder / "tokens.json").write_text("{}")
    app = run_page("render_fidelity", workspace.root, slug="ppt-good")
    assert 'role="alert"' in shown(app)
    assert "no spec_version in tokens.json" in shown(app)
    assert app.button(key="render_save").disabled


def test_a_person_decides_with_a_note(run_page, place):
    folder, workspace = place
    path = verdict_file(folder, [3, 3, 3, 3, 3, 4, 4], cross_check={"verifier": "gpt-5.6-sol", "total": 24})
    app = run_page("render_fidelity", workspace.root, slug="ppt-good")
    app.button(key="render_human_pass").click().run()
    assert "needs a note" in shown(app)
    app.text_input(key="render_fidelity_human_note").set_value("Compared by hand").run()
    app.button(key="render_human_pass").click().run()
    assert json.loads(path.read_text())["human_verdict"]["note"] == "Compared by hand"
    assert "It stands until Ann takes it back (u)" in shown(app)
    assert not [one for one in app.button if one.key == "render_human_pass"]  # who comes second is not asked
    assert "decided by Ann" in shown(app)


def test_two_verifiers_side_by_side(run_page, place):
    folder, workspace = place
    axes = {"F1": 3, "F2": 3, "F3": 3, "F4": 3, "F5": 3, "F6": 3, "F7": 3}
    verdict_file(folder, [4] * 7, cross_check={"verifier": "gpt-5.6-sol", "axes": axes})
    words = shown(run_page("render_fidelity", workspace.root, slug="ppt-good"))
    assert "gpt-5.6-sol" in words
    assert "two verifiers differ by 7 (totals 28 and 21); never averaged" in words


@pytest.mark.parametrize("name", list(pictures()))
def test_a_hostile_page_is_an_error_on_that_page_and_the_app_is_up(run_page, place, name):
    folder, workspace = place
    raw, reason = pictures()[name]
    (folder / "pages/02-kpi.png").write_bytes(raw)
    app = run_page("render_fidelity", workspace.root, slug="ppt-good")
    data = _viewer_data(workspace)
    states = {page["n"]: bool(page["sha"]) for page in data["pages"]}
    assert (states[1], states[3]) == (True, True)
    # What only decoding can tell is said when the page is opened; the rest before.
    if reason and name not in ("bomb within the limit",):
        assert not states[2]
        assert data["pages"][1]["error"]
    assert "3 pages" in shown(app) or "pages seen" in shown(app)


def _viewer_data(workspace):
    standing = images.standing_of(workspace, "ppt-good")
    return load.viewer_data(workspace, standing, images.shown_of(workspace, "ppt-good"), frozenset(), [], 1, 0)


def test_merged_and_unmapped_originals_are_in_the_walk(place):
    folder, workspace = place
    meta = (folder / "meta.yaml").read_text()
    meta = meta.replace("source_pages: [1] }", "source_pages: [1, 2] }").replace(
        "compression: identity", "compression: merged"
    )
    meta = meta.replace("    - { pack_page: 2, source_pages: [2] }\n", "").replace(
        "    - { pack_page: 3, source_pages: [3] }\n", ""
    )
    meta = meta.replace(
        "signature_motifs:", '  not_selected:\n    - { source_page: 3, reason: "a divider" }\nsignature_motifs:'
    )
    (folder / "meta.yaml").write_text(meta)
    data = _viewer_data(workspace)
    assert [[source["n"] for source in page["sources"]] for page in data["pages"]] == [[1, 2], [], []]
    assert [(left["n"], left["reason"]) for left in data["unmapped"]] == [(3, "a divider")]


@pytest.fixture
def client(place, monkeypatch):
    monkeypatch.setenv("TOUCHSTONE_WORKSPACE", str(place[1].root))
    return TestClient(Starlette(routes=routes.routes()))


def address(workspace, kind, page=1, source=1):
    found = images.shown_of(workspace, "ppt-good")
    if kind == "changes":
        return f"{images.base_url(workspace, 'ppt-good')}/changes/0/0?v={found.key}"
    render = found.renders[page].sha256[:12] if page else ""
    original = found.sources[source].sha256[:12] if source else ""
    return f"{images.base_url(workspace, 'ppt-good')}/{kind}/{page}/{source}?v={render}{original}"


def test_pages_are_sent_as_their_own_bytes(client, place):
    folder, workspace = place
    answer = client.get(address(workspace, "render", 2, 0))
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")
    assert answer.content == (folder / "pages/02-kpi.png").read_bytes()
    assert "private" in answer.headers["cache-control"]
    original = client.get(address(workspace, "original", 2, 2))
    assert original.content == (workspace.root / "_workspace/b1/pages_src/ppt-good/02.png").read_bytes()


@pytest.mark.parametrize("kind", ["thumb", "veil", "heat"])
def test_derived_pictures(client, place, kind):
    answer = client.get(address(place[1], kind, 1, 0 if kind == "thumb" else 1))
    assert (answer.status_code, answer.content[:8]) == (200, b"\x89PNG\r\n\x1a\n")


def test_comparisons_are_json(client, place):
    folder, workspace = place
    save(folder / "pages/02-kpi.png", picture(2, "47.2%"))
    assert client.get(address(workspace, "compare", 1)).json()["regions"] == []
    assert client.get(address(workspace, "compare", 2, 2)).json()["regions"][0]["what"] == "change"
    assert client.get(address(workspace, "changes")).json()["pages"]["2"]["2"][0]["what"] == "change"


def test_an_address_of_an_older_picture_is_refused(client, place):
    folder, workspace = place
    old = address(workspace, "render", 2, 0)
    save(folder / "pages/02-kpi.png", picture(2, "47.2%"))
    answer = client.get(old)
    assert (answer.status_code, "changed meanwhile" in answer.json()["error"]) == (409, True)
    assert client.get(address(workspace, "render", 2, 0)).status_code == 200


def test_only_signed_addresses_of_this_server_open_anything(client, place, tmp_path_factory):
    workspace = place[1]
    good = address(workspace, "render", 1, 0)
    base = images.base_url(workspace, "ppt-good")
    token = base.rsplit("/", 1)[1]
    flipped = token[:-2] + ("A" if token[-2] != "A" else "B") + token[-1]
    other = tmp_path_factory.mktemp("other")
    key = serving.signing_key(workspace)
    wrong = [
        good.replace(token, flipped),
        good.replace(token, "nonsense"),
        good.replace(token, "bnVsbA.x"),
        good.replace(token, serving.sign(key, other, "ppt-good", int(time.time()) + 60)),
        good.replace(token, serving.sign(key, workspace.root, "ppt-good", int(time.time()) - 1)),
        good.replace(token, serving.sign(b"another key", workspace.root, "ppt-good", int(time.time()) + 60)),
    ]
    assert client.get(good).status_code == 200
    assert [client.get(url).status_code for url in wrong] == [403] * 6
    assert client.get(good.replace("/render/1/", "/render/9/")).status_code == 404
    assert client.get(good.replace("/render/1/", "/secret/1/")).status_code == 404
    assert client.get(good.replace("/render/1/0", "/render/..%2f..%2fetc/0")).status_code == 404


def test_a_damaged_original_is_said_and_the_render_is_still_sent(client, place):
    _, workspace = place
    (workspace.root / "_workspace/b1/pages_src/ppt-good/02.png").write_bytes(b"nothing")
    data = _viewer_data(workspace)
    assert "not a PNG, JPEG or WebP" in data["pages"][1]["sources"][0]["error"]
    assert client.get(address(workspace, "render", 2, 0)).status_code == 200


def test_a_pack_whose_pages_are_gone_still_opens(run_page, place):
    folder, workspace = place
    shutil.rmtree(folder / "pages")
    words = shown(run_page("render_fidelity", workspace.root, slug="ppt-good"))
    assert "page 1 cover: missing" in words
    assert hashes(build(workspace.root / "again"))["1"]


def test_foreign_words_are_shown_as_text(run_page, place):
    folder, workspace = place
    verdict_file(
        folder,
        [4] * 7,
        reviewer="<img src=x onerror=alert(1)>",
        repair_requests=[{"text": "<script>alert(1)</script>"}],
    )
    words = shown(run_page("render_fidelity", workspace.root, slug="ppt-good"))
    assert "<img src=x" not in words
    assert "<script>alert" not in words
    assert "&lt;script&gt;alert(1)" in words
