"""What compose.yaml, the Dockerfile and the proxy's configuration promise, as far as it stands in the files."""

import re
from pathlib import Path

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[1]
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
NGINX = (ROOT / "deploy" / "nginx.conf.template").read_text("utf-8")


@pytest.fixture
def compose():
    return YAML(typ="safe").load((ROOT / "compose.yaml").read_text("utf-8"))


def test_two_dashboards_one_database_one_proxy(compose):
    assert set(compose["services"]) == {"app1", "app2", "database", "proxy"}
    assert compose["services"]["app1"] == compose["services"]["app2"]
    assert {name for name, one in compose["services"].items() if "ports" in one} == {"proxy"}


def test_the_dashboards_can_write_the_workspace_and_nothing_else(compose):
    app = compose["services"]["app1"]
    assert (app["read_only"], app["cap_drop"], app["security_opt"]) == (True, ["ALL"], ["no-new-privileges:true"])
    assert [volume.rsplit(":", 1)[1] for volume in app["volumes"]] == ["/workspace"]
    user = re.search(r"^USER (\S+)$", DOCKERFILE, re.MULTILINE)
    assert user is not None
    assert user[1] not in ("root", "0")
    assert "HEALTHCHECK" in DOCKERFILE
    assert "/_stcore/health" in DOCKERFILE


def test_the_container_admits_only_who_signed_in(compose):
    assert "TOUCHSTONE_SIGN_IN=required" in DOCKERFILE
    assert "TOUCHSTONE_SIGN_IN" not in compose["services"]["app1"]["environment"]


def test_everything_waits_for_what_it_needs(compose):
    services = compose["services"]
    assert services["app1"]["depends_on"] == {"database": {"condition": "service_healthy"}}
    assert set(services["proxy"]["depends_on"]) == {"app1", "app2"}
    assert "healthcheck" in services["database"]


def test_what_is_copied_is_there_and_not_ignored():
    wanted = [name for line in re.findall(r"^COPY (.+)$", DOCKERFILE, re.MULTILINE) for name in line.split()[:-1]]
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")}
    assert [name for name in wanted if not (ROOT / name).exists()] == []
    assert set(wanted) == kept


def test_the_proxy_gets_all_its_names(compose):
    used = set(re.findall(r"\$\{(\w+)\}", NGINX))
    assert used == set(compose["services"]["proxy"]["environment"]) == {"TOUCHSTONE_HOST", "TOUCHSTONE_APPS"}
    mounted = [volume.split(":")[0] for volume in compose["services"]["proxy"]["volumes"]]
    assert (ROOT / mounted[0]).is_file()


def test_secrets_are_kept_out_of_git_and_of_the_image():
    ignored = (ROOT / ".gitignore").read_text("utf-8").splitlines()
    assert {"deploy/secrets.toml", "deploy/tls/", ".env"} <= set(ignored)
    assert "secrets" not in "".join(re.findall(r"^COPY .+$", DOCKERFILE, re.MULTILINE))
