"""Plants values in logs, builds them with and without --redact, and counts what scanners find in data/, by kind.

Fails if more than 2 % of what names a token, a key or a password before is found after. Kinds of entropy and keywords are
printed, but not counted: they hit hashes and the names of fields. The values are joined from parts.
"""

import base64
import json
import random
import re
import string
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pybetterleaks

WORK, HOME = Path(sys.argv[1]), Path(sys.argv[2])
MOST_LEFT = 0.02
SEEDS = range(6)
NOT_COUNTED = {"Base64 High Entropy String", "Hex High Entropy String", "Secret Keyword", "IP Public"}
ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
JWT = ('{"alg":"HS256","typ":"JWT"}', '{"sub":"1234567890","name":"Ada"}')
# an address whose password is a name is still reported as an address with a password
NAME = re.compile("<[A-Z_]+:[A-Z2-7]{10}>")
CAPITALS = string.ascii_uppercase + "234567"


def values(rng: random.Random) -> list[str]:
    """One value of each kind, as its service makes them."""
    m = lambda n, alphabet=ALNUM: "".join(rng.choices(alphabet, k=n))
    b64 = lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")
    pem = "\n".join(m(64) for _ in range(12))
    digits = string.digits
    return [
        *(f"gh{kind}_{m(36)}" for kind in "pousr"),
        f"github_{'pat'}_{m(22)}_{m(59)}",
        f"npm_{m(36)}",
        f"pypi-{'AgEIcHlwaS5vcmc'}{m(90)}",
        f"glpat-{m(20)}",
        f"AKI{'A'}{m(16, CAPITALS)}",
        f"aws_secret_access_key = {m(40)}",
        f"AIz{'a'}{m(35)}",
        f"xox{'b'}-{m(12, digits)}-{m(12, digits)}-{m(24)}",
        f"https://hooks.{'slack'}.com/services/T{m(8, CAPITALS)}/B{m(8, CAPITALS)}/{m(24)}",
        f"sk_{'live'}_{m(24)}",
        f"sk-{'proj'}-{m(74)}T3Blbk{'FJ'}{m(74)}",
        f"sk-{m(20)}T3Blbk{'FJ'}{m(20)}",
        f"sk-{'ant'}-api03-{m(93)}AA",
        f"hf_{m(34, string.ascii_letters)}",
        f"DefaultEndpointsProtocol=https;AccountName=a;AccountKey={m(86)}==;EndpointSuffix=core.windows.net",
        f"S{'K'}{m(32, HEX)}",
        f"SG.{m(22)}.{m(43)}",
        f"{m(9, '123456789')}:A{'A'}{m(33)}",
        f"{b64('112233445566778899')[:24]}.{m(6)}.{m(27)}",
        f"dop_v1_{m(64, HEX)}",
        f"shpat_{m(32, HEX)}",
        f"dap{'i'}{m(32, HEX)}",
        f"lin_api_{m(40)}",
        f"ntn_{m(11, digits)}{m(35)}",
        f"PMAK-{m(24, HEX)}-{m(34, HEX)}",
        f"dp.{'pt'}.{m(43)}",
        f"hvs.{m(95)}",
        f"glsa_{m(32)}_{m(8, HEX)}",
        ".".join([*map(b64, JWT), m(43)]),
        f"postgres://app:{m(16)}@db.internal:5432/app",
        f"Authorization: Bearer {m(40)}",
        f"-----BEGIN RSA {'PRIVATE KEY'}-----\n{pem}\n-----END RSA {'PRIVATE KEY'}-----",
        f"sk-{m(22)}",
        f"lsv2_pt_{m(32, HEX)}_{m(10, HEX)}",
        f"tvly-dev-{m(32)}",
        f"sk-{'lf'}-{m(8, HEX)}-{m(4, HEX)}-{m(4, HEX)}-{m(4, HEX)}-{m(12, HEX)}",
        f"fw_{m(24)}",
        f"csk-{m(48, string.ascii_lowercase + digits)}",
        f"fc-{m(32, HEX)}",
        f"pcsk_{m(5)}_{m(63)}",
        f"sk_{m(48, HEX)}",
        f"sb_{'secret'}_{m(31)}",
        f"cfut_{m(40)}{m(8, HEX)}",
        f"CCIPAT_{m(22)}_{m(40, HEX)}",
        f"re_{m(8)}_{m(24)}",
        f"rdme_{m(70, string.ascii_lowercase + digits)}",
        f"sq0atp-{m(22)}",
        f"CFPAT-{m(43)}",
        f"EZA{'K'}{m(54)}",
        f"glo{'as'}-{m(64, HEX)}",
        f"xkey{'sib'}-{m(64, HEX)}-{m(16)}",
        f"pat-{'na1'}-{m(8, HEX)}-{m(4, HEX)}-{m(4, HEX)}-{m(4, HEX)}-{m(12, HEX)}",
        f"apify_{'api'}_{m(36)}",
        f"AKC{'p'}{m(69)}",
        f"squ{'_'}{m(40, HEX)}",
        f"shippo_{'live'}_{m(40, HEX)}",
        f"duffel_{'live'}_{m(43)}",
        f"dt0c{'01'}.{m(24, CAPITALS)}.{m(64, CAPITALS)}",
        f"FLW{'SECK'}-{m(32, HEX)}-X",
        f"{m(32, HEX)}-{'us'}12",
        f"NRI{'I-'}{m(25)}",
        f"sgp_{m(40, HEX)}",
        f"tfp_{m(44)}",
        f"HRKU-{m(60)}",
        f"{m(14)}.atlas{'v1'}.{m(67)}",
        f"Authorization: token {m(40)}",
        f"Cookie: sid={m(32)}; csrf={m(16)}",
        f"curl -u deploy:{m(16)} https://host/",
        f"docker login -u deploy -p {m(16)} host",
        f"machine host login deploy password {m(16)}",
        f"cli --password {m(16)} --verbose",
        json.dumps({"auths": {"host": {"auth": base64.b64encode(f"deploy:{m(16)}".encode()).decode()}}}),
    ]


def near_misses(rng: random.Random) -> list[str]:
    """Texts that look like a value of a kind, but are documentation, code, a hash or a cut value."""
    m = lambda n, alphabet=ALNUM: "".join(rng.choices(alphabet, k=n))
    return [
        f"ghp_{'x' * 36}",
        f"ghp_{m(12)}",
        f"glpat-{m(8)}",
        f"npm_{m(20)}",
        f"hf_{m(10)}",
        f"xoxb-{m(4)}",
        f"sk-{'ant'}-your-key-here",
        "API_KEY=your-api-key-goes-here-123",
        f"export TOKEN=${{{m(8, string.ascii_uppercase)}}}",
        "password = process.env.DB_PASSWORD_2",
        "token: getToken2(request)",
        f"commit {m(40, HEX)}",
        f"sha256-{m(43)}=",
        f"uuid {m(8, HEX)}-{m(4, HEX)}-{m(4, HEX)}-{m(4, HEX)}-{m(12, HEX)}",
        f"max_tokens: {m(4, '123456789')}",
        f"order {m(16, '1')}",
        "Authorization: Bearer <token>",
        "postgres://user:password@localhost/db",
        "see user@example.com, git@github.com:a/b.git and logo@2x.png",
        "DE88 3704 0044 0532 0130 00",
        "docker run --user 1000:100000 -u nobody:nogroup",
        "napi_get_value_string_utf8 and sk-toggleable__label-2",
        "cookie: { secure: true }, \"auth\": \"AuthenticationMiddleware1\"",
        "a login page with a password field2",
        "token = b64encode(x)",
    ]


def hidden(value: str) -> dict[str, list[str]]:
    """Forms of a value that are not looked for, each as the texts of its messages."""
    middle = len(value) // 2
    return {
        "base64": [base64.b64encode(value.encode()).decode()],
        "percent-encoding": ["".join(f"%{byte:02X}" for byte in value.encode())],
        "`\\u` escapes": ["".join(f"\\u{ord(character):04x}" for character in value)],
        "cut over two messages": [value[:middle], value[middle:]],
    }


def replaced(name: str, sessions: list[list[str]]) -> int:
    """Builds a dataset of these sessions of user messages with --redact, and counts those with a name."""
    logs = WORK / f"{name}-logs"
    logs.mkdir()
    for number, texts in enumerate(sessions):
        messages = [{"role": "user", "content": text} for text in texts]
        reply = {"choices": [{"message": {"role": "assistant", "content": "ok"}}]}
        entry = {"timestamp": "2026-01-13T08:00:00Z", "session_id": f"{name}{number}", "request": {"messages": messages, "tools": []}, "response": reply}
        (logs / f"{number:04}.jsonl").write_text(json.dumps(entry) + "\n")
    data = build(logs, WORK / name, "--redact", "--redact-key-file", WORK / "key")
    records = [line for shard in data.glob("*.jsonl") for line in shard.read_text().splitlines()]
    assert len(records) == len(sessions), f"{name}: {len(records)} records of {len(sessions)} sessions"
    return sum(NAME.search(record) is not None for record in records)


def count_forms() -> bool:
    """Prints how many values are found in each form; whether at least 98 % of plain ones are, and at most 1 % of near misses."""
    all_values = [value for seed in SEEDS for value in values(random.Random(seed))]
    near = [[text] for seed in SEEDS for text in near_misses(random.Random(seed))]
    plain = replaced("alone", [[f"use {value} please"] for value in all_values])
    hits = replaced("near", near)
    assert f", {plain} of {len(all_values)} were replaced" in (WORK / "alone/README.md").read_text(), "the card has another recall"
    print("\n| form | planted | found |\n| --- | ---: | ---: |")
    print(f"| plain text | {len(all_values)} | {plain} |")
    for number, form in enumerate(hidden("value")):
        print(f"| {form} | {len(all_values)} | {replaced(f'form{number}', [hidden(value)[form] for value in all_values])} |")
    print(f"| near misses | {len(near)} | {hits} |")
    return plain >= 0.98 * len(all_values) and hits <= 0.01 * len(near)


def write_logs(folder: Path) -> None:
    """A session for each value: in a text, in a result, in arguments, and in JSON in arguments."""
    folder.mkdir()
    for seed in SEEDS:
        for number, value in enumerate(values(random.Random(seed))):
            inner = json.dumps({"body": json.dumps({"text": f"{value}\n"})})
            call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": inner}}
            messages = [
                {"role": "user", "content": f"use\n{value}\nplease"},
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "c1", "content": json.dumps({"env": value})},
            ]
            reply = {"role": "assistant", "content": f"I used `{value}`."}
            entry = {
                "timestamp": "2026-01-13T08:00:00Z",
                "session_id": f"s{seed}-{number}",
                "request": {"messages": messages, "tools": []},
                "response": {"choices": [{"message": reply}]},
            }
            (folder / f"{seed}-{number:02}.jsonl").write_text(json.dumps(entry) + "\n")


def build(logs: Path, out: Path, *options: str) -> Path:
    subprocess.run(["node", "dist/package/bin.js", "build", logs, "--out", out, "--log-level", "silent", *options], check=True)
    return out / "data"


def betterleaks(data: Path) -> Counter:
    return Counter(f"betterleaks {finding.rule_id}" for finding in pybetterleaks.scan_dir(str(data)).findings)


def detect_secrets(data: Path) -> Counter:
    found = subprocess.run([HOME / "bin/detect-secrets", "scan", "--all-files", "."], cwd=data, check=True, capture_output=True, text=True)
    results = json.loads(found.stdout)["results"]
    return Counter(f"detect-secrets {finding['type']}" for file in results.values() for finding in file)


def secretlint(data: Path) -> Counter:
    rules = json.dumps({"rules": [{"id": "@secretlint/secretlint-rule-preset-recommend"}]})
    found = WORK / "secretlint.json"  # it may not finish writing to a pipe
    options = ["--secretlintrcJSON", rules, "--format", "json", "--output", found]
    subprocess.run([HOME / "node_modules/.bin/secretlint", *options, f"{data}/**/*.jsonl"], cwd=HOME, stdout=subprocess.DEVNULL)
    counts = Counter()
    for file in json.loads(found.read_text()):
        for message in file["messages"]:
            start, end = message["range"]
            if not NAME.search(file["sourceContent"][start:end]):
                counts[f"secretlint {message['messageId']}"] += 1
    return counts


def main() -> int:
    logs = WORK / "logs"
    write_logs(logs)
    key = WORK / "key"
    key.write_text("a key of the judges")
    key.chmod(0o600)
    plain = build(logs, WORK / "plain")
    redacted = build(logs, WORK / "redacted", "--redact", "--redact-key-file", key)
    judges = [betterleaks, detect_secrets, secretlint]
    before = sum((judge(plain) for judge in judges), Counter())
    after = sum((judge(redacted) for judge in judges), Counter())
    failed = 0
    print("| kind | before | after |\n| --- | ---: | ---: |")
    for kind in sorted(before | after):
        counted = kind.split(" ", 1)[1] not in NOT_COUNTED and "generic" not in kind
        bad = counted and after[kind] > MOST_LEFT * before[kind]
        failed += bad
        note = "" if counted else " (not counted)"
        print(f"| {kind}{note}{' (too many left)' if bad else ''} | {before[kind]} | {after[kind]} |")
    return 1 if not count_forms() or failed or not before else 0


sys.exit(main())
