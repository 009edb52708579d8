"""Requests that are not the window's: none succeeds, none ends the server, none writes a file."""

import hashlib
import http.client
import json
import threading
import time

from tests.helpers.studio_process import StudioProcess

GOOD = {"robot": "ur10", "drives": {"elbow_joint": {"kind": "velocity", "text": "0.1"}}}
ARM = b'<robot name="a"><link name="b"/></robot>'
PAYLOAD = {"parameter": "payload", "low": 0.0, "high": 1.0}
HAND = "import os\n"
EVIL = "__import__('os').system('touch /tmp/sim_studio_was_here')"


def api(server, path):
    return f"/{server.token}/api/{path}"


def page_key(server):
    _, page = server.raw("GET", f"/{server.token}/", {})
    return page.split(b'data-pages="/')[1].split(b"/")[0].decode()


def without_the_key(server):
    token, pages = server.token, page_key(server)
    keys = ("", "x", token[:-1], token + "a", token.swapcase(), token[::-1], pages, "..", "%2e%2e")
    for key in keys:
        for path in ("", "/", "/api/robots", "/static/studio.js"):
            yield "GET", f"/{key}{path}", {}, None
        yield "POST", f"/{key}/api/run", {"Origin": f"http://{server.host}"}, b"{}"
    for method in ("POST", "PUT", "DELETE"):  # the key of pages only reads pages
        yield method, f"/{pages}/run/run1/20260101T000000.000", own(server), b"{}"


def own(server):
    return {"Origin": f"http://{server.host}", "Content-Type": "application/json"}


def of_other_hosts(server):
    here = f"127.0.0.1:{server.port + 1}"
    others = ("evil.example", "127.0.0.2", "[::1]", "localhost.evil.example")
    with_port = [f"{name}:{server.port}" for name in others]
    for host in (*others, *with_port, here, "localhost", "", [server.host, "evil.example"]):
        yield "GET", api(server, "robots"), {"Host": host}, None
        yield "POST", api(server, "run"), {**own(server), "Host": host}, b"{}"


def of_other_origins(server):
    body = json.dumps({"setup": GOOD}).encode()
    for origin in ("null", "http://evil.example", f"https://{server.host}", "file://",
                   f"http://127.0.0.1:{server.port + 1}", f"http://{server.host}.evil.example",
                   f"http://evil.example/?{server.host}", server.host,
                   [f"http://{server.host}", "http://evil.example"]):  # fmt: skip
        yield "GET", api(server, "robots"), {"Origin": origin}, None
        yield "PUT", api(server, "scripts/x"), {**own(server), "Origin": origin}, body
    yield "PUT", api(server, "scripts/x"), {"Content-Type": "application/json"}, body
    for site in ("cross-site", "same-site", "x"):
        yield "GET", api(server, "runs"), {"Sec-Fetch-Site": site}, None
        yield "PUT", api(server, "scripts/x"), {**own(server), "Sec-Fetch-Site": site}, body
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        yield "PUT", api(server, "scripts/x"), {**own(server), "Content-Type": kind}, body


def with_other_paths(server):
    body = json.dumps({"setup": GOOD}).encode()
    for name in ("..", "../x", "%2e%2e%2fx", "..%2fx", "/etc/x", "X", "1a", "a b", "a.b", "con%00",
                 "a" * 41, "%C3%A9", "x%0a", "results/x", ".x", "link"):  # fmt: skip
        yield "PUT", api(server, f"scripts/{name}"), own(server), body
        yield "GET", api(server, f"scripts/{name}"), {}, None
    for name in ("../a.urdf", "/etc/a.urdf", "a/../../a.urdf", "a.py", "a.urdf.py", ".a.urdf", "",
                 "a%00.urdf", "a\\b.urdf".replace("\\", "%5c"), "a/b/c/d/e/f.urdf", "a.urdf/",
                 "~/a.urdf", "../a.xacro", "a.toml", "%2e%2e/a.stl", "out/a.urdf"):  # fmt: skip
        yield "POST", api(server, f"file?path={name}"), own(server), ARM
    for name in ("/etc/passwd", "../ur10", "robots/../../x.urdf", "robots/none.urdf", "robots/",
                 "ur10.urdf", "file:///etc/passwd", "", "x" * 500, "robots/out.urdf"):  # fmt: skip
        yield "GET", api(server, f"robot?name={name}"), {}, None
        yield "GET", api(server, f"scene?name={name}"), {}, None
    for name in ("Arm.adm", "a/b.adm", "../a.adm", "a.ADM", ".adm", "a" * 41 + ".adm", "a.adm%00"):
        yield "POST", api(server, f"file?path={name}"), own(server), b"END"
    for name in ("decks/none.adm", "decks/../hand.py", "decks/a.py", "/etc/passwd", "hand.py"):
        deck = {"deck": name, "duration": 1.0, "dt": 0.01}
        yield "POST", api(server, "deck"), own(server), json.dumps(deck).encode()
        yield "GET", api(server, f"template?name={name}"), {}, None
        template = {"template": name, "arguments": {}}
        yield "POST", api(server, "template"), own(server), json.dumps(template).encode()
    for name in ("hand", "none", "../hand", "decks/none.adm"):
        study = {"script": name, "kind": "sweep", "vary": [PAYLOAD], "sha256": "0" * 64}
        yield "POST", api(server, "study"), own(server), json.dumps(study).encode()
    study |= {"script": "none", "response": "hand.py:f", "sha256": ""}
    yield "POST", api(server, "study"), own(server), json.dumps(study).encode()
    for name in ("..%2f..%2fsetup.py", "lock.json", "studio.html", "../routes.py", "x.js"):
        yield "GET", f"/{server.token}/static/{name}", {}, None
    pages = page_key(server)
    for name in ("run/../x", "run/x/20260101T000000.000", "run/x/..", "overlay/studio_..%2fx.html",
                 "overlay/report.html", "study/..", "study/x-20260101T000000", "api/robots",
                 "static/studio.js"):  # fmt: skip
        yield "GET", f"/{pages}/{name}", {}, None


def of_wrong_shape(server):
    yes = own(server)
    for body in (b"", b"{", b"[]", b"null", b'"x"', b"\xff", b"[" * 100_000, b'{"setup": {}}',
                 json.dumps({"setup": {**GOOD, "code": EVIL}}).encode()):  # fmt: skip
        yield "PUT", api(server, "scripts/x"), yes, body
        yield "POST", api(server, "preview"), yes, body
        yield "POST", api(server, "numbers"), yes, body
    for change in ({"robot": EVIL}, {"method": EVIL}, {"engine": EVIL}, {"mount": EVIL},
                   {"duration": EVIL}, {"duration": 0}, {"duration": -1}, {"duration": 1e300},
                   {"dt": 0}, {"dt": 1e-9}, {"dt": 20}, {"payload": -1}, {"payload": 1e400},
                   {"com": [0, 0]}, {"com": ["0", 0, 0]}, {"start": EVIL}, {"tool": EVIL},
                   {"drives": {EVIL: {"kind": "velocity", "text": "0"}}},
                   {"drives": {"elbow_joint": {"kind": "velocity", "text": EVIL}}},
                   {"drives": {"elbow_joint": {"kind": EVIL, "text": "0"}}},
                   {"drives": {"elbow_joint": {"kind": "velocity", "text": "1/0"}}},
                   {"drives": {"elbow_joint": {"kind": "velocity", "text": "(" * 3000}}},
                   {"drives": {"elbow_joint": {"kind": "velocity", "text": "0" * 5000}}},
                   {"drives": {"elbow_joint": {"kind": "table"}}},
                   {"friction": {"elbow_joint": -1.0}}, {"friction": {EVIL: 1.0}},
                   {"positions": {EVIL: 1.0}}, {"positions": {"elbow_joint": EVIL}}):  # fmt: skip
        text = json.dumps({"setup": {**GOOD, **change}}).replace("Infinity", "1e999")
        yield "PUT", api(server, "scripts/x"), yes, text.encode()
    for body in (b"{}", b'{"name": "none", "sha256": ""}', b'{"name": "../x", "sha256": ""}'):
        yield "POST", api(server, "run"), yes, body
    for name in ("hand", "none"):
        body = json.dumps({"name": name, "sha256": "0" * 64}).encode()
        yield "POST", api(server, "run"), yes, body
    base = hashlib.sha256(HAND.encode()).hexdigest()  # a person's script, as it is now
    yield (
        "PUT",
        api(server, "scripts/hand"),
        yes,
        json.dumps({"setup": GOOD, "base": base}).encode(),
    )
    for robot in ("/etc/passwd", "../x.urdf", "--help", "robots/none.urdf"):
        yield "POST", api(server, "audit"), yes, json.dumps({"robot": robot}).encode()
    yield "POST", api(server, "audit"), yes, b'{"robot": "ur10", "fix": true}'
    for path in ("runs/x/..", "runs/../x", "runs/hand/20260101T000000.000"):
        yield "DELETE", api(server, path), yes, None
        yield "POST", api(server, f"{path}/limits"), yes, None
        yield "POST", api(server, f"{path}/export"), yes, b'{"ending": "csv"}'
        yield "POST", api(server, f"{path}/accept"), yes, b'{"reason": "x"}'
    yield "POST", api(server, "overlay"), yes, b'{"runs": [["..", ".."], ["x", "y"]]}'


def of_wrong_size_or_method(server):
    yes = own(server)
    for path in ("scripts/x", "preview", "file?path=a.urdf"):
        method = "PUT" if path == "scripts/x" else "POST"
        for length in ("200000000", "-1", "1e3", "x", "99999999999999999999"):
            yield method, api(server, path), {**yes, "Content-Length": length}, None
    yield "POST", api(server, "preview"), yes, b" " * 1_000_001
    for method in ("PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "OPTIONS", "PROPFIND"):
        yield method, api(server, "robots"), yes, b"{}"
    for name in ("/etc/passwd", "../../../x.stl", "file:///x.stl", "~/x", "C:\\x.stl"):
        mjcf = f'<mujoco><asset><mesh name="m" file="{name}"/></asset></mujoco>'
        yield "POST", api(server, "file?path=m.xml"), yes, mjcf.encode()
        sdf = (
            f"<sdf version='1.9'><world name='w'><include><uri>{name}</uri></include></world></sdf>"
        )
        yield "POST", api(server, "file?path=m.sdf"), yes, sdf.encode()
    entity = b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><mujoco>&x;</mujoco>'
    yield "POST", api(server, "file?path=m.xml"), yes, entity


def files_of(folder):
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path: path.read_bytes() for path in files if "results" not in path.parts}


def test_no_hostile_request_succeeds(studio, tmp_path):
    (tmp_path / "out").mkdir()
    (studio.folder / "hand.py").write_text(HAND)
    (studio.folder / "link.py").symlink_to(tmp_path / "away.py")
    (studio.folder / "robots").mkdir(exist_ok=True)
    (studio.folder / "robots/out").symlink_to(tmp_path / "out")
    (studio.folder / "robots/out.urdf").symlink_to("/etc/passwd")
    before, count, granted = files_of(studio.folder), 0, []
    for kind in (without_the_key, of_other_hosts, of_other_origins, with_other_paths,
                 of_wrong_shape, of_wrong_size_or_method):  # fmt: skip
        for method, path, headers, body in kind(studio):
            try:
                status, data = studio.raw(method, path, headers, body)
            except (http.client.HTTPException, ConnectionError):
                status, data = 400, b""
            if not 400 <= status < 500 or b"Traceback" in data or b"root:" in data:
                granted.append((method, path, headers, body, status, data[:300]))
            count += 1
    assert granted == []
    assert count >= 200
    assert files_of(studio.folder) == before
    assert list((tmp_path / "out").iterdir()) == []
    assert studio.ask("GET", "run")[1]["state"] == "idle"
    assert studio.ask("GET", "robots")[0] == 200


def test_a_body_that_states_no_length_is_counted(studio):
    connection = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=30)
    body = (b" " * 100_000 for _ in range(30))
    headers = {**own(studio), "Host": studio.host}
    connection.request("POST", api(studio, "preview"), body, headers, encode_chunked=True)
    assert connection.getresponse().status == 413
    connection.close()


def test_pages_and_scripts_come_with_a_strict_policy(studio):
    connection = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=30)
    connection.request("GET", f"/{studio.token}/", headers={"Host": studio.host})
    answer = connection.getresponse()
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'; script-src 'self';" in policy
    assert "unsafe" not in policy
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["Cache-Control"] == "no-store"
    assert b"<script>" not in answer.read()
    connection.close()


def test_of_eight_windows_one_saves_and_of_eight_runs_one_starts(studio):
    setup = {**GOOD, "duration": 0.05}
    status, saved = studio.ask("PUT", "scripts/shared", {"setup": setup, "base": None})
    assert status == 200
    codes = []

    def save(k):
        changed = {**setup, "payload": k + 1.0}
        codes.append(studio.ask("PUT", "scripts/shared", {"setup": changed, **base})[0])

    def start(_):
        codes.append(studio.ask("POST", "run", {"name": "shared", **run})[0])

    base = {"base": saved["sha256"]}
    at_once(save)
    assert sorted(codes) == [200, *[409] * 7]
    codes.clear()
    run = {"sha256": studio.ask("GET", "scripts/shared")[1]["sha256"]}
    at_once(start)
    assert sorted(codes) == [200, *[409] * 7]
    while studio.ask("GET", "run")[1]["state"] == "running":
        time.sleep(0.05)
    assert studio.ask("GET", "run")[1]["verdict"] == "pass"


def test_a_run_that_fails_names_its_joint_and_the_remedy(studio):
    setup = {**GOOD, "drives": {"elbow_joint": {"kind": "torque", "text": "1"}}}
    saved = studio.ask("PUT", "scripts/failing", {"setup": setup})[1]
    assert studio.ask("POST", "run", {"name": "failing", **saved})[0] == 200
    while (now := studio.ask("GET", "run")[1])["state"] == "running":
        time.sleep(0.05)
    assert (now["state"], now["joint"]) == ("failed", "elbow_joint")
    assert "use method 'adaptive'" in now["error"]


def at_once(act):
    threads = [threading.Thread(target=act, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_a_killed_server_loses_nothing_that_was_saved_and_takes_its_run_along(tmp_path):
    with StudioProcess(tmp_path / "folder") as server:
        setup = {**GOOD, "duration": 60.0}
        saved = server.ask("PUT", "scripts/long", {"setup": setup})[1]
        server.ask("POST", "run", {"name": "long", "sha256": saved["sha256"]})
        while server.ask("GET", "run")[1]["share"] == 0:
            time.sleep(0.05)
        server.process.kill()
        server.process.wait()
    text = (tmp_path / "folder/long.py").read_text()
    assert '"elbow_joint": "0.1"' in text
    end = time.monotonic() + 20
    while unfinished(tmp_path / "folder"):  # the run stops and clears up
        assert time.monotonic() < end
        time.sleep(0.1)


def unfinished(folder):
    """Whether a run is still being written; its folder may vanish meanwhile."""
    try:
        return bool(list(folder.rglob(".*new*")))
    except FileNotFoundError:
        return True
