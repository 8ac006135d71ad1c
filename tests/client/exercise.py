#!/usr/bin/env python3
"""Checks the API's description as strict programs do, and the server against it.

usage: exercise.py SERVER FOLDER < TOKENS

Reads SERVER/api/v1/openapi.json, has a validator look at it, has a client generated from it in FOLDER, and files, reads,
reviews and exports with that client. Every answer with a body in JSON is compared with its schema. TOKENS is a JSON object:
tournament, and a token for each of client, judge, director and observer. Exit code 0: all of it fits.
"""

import importlib
import json
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import httpx
from jsonschema import Draft202012Validator, FormatChecker
from openapi_spec_validator import OpenAPIV31SpecValidator

METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]


def check_document(document):
    """What a validator demands, and what the specification leaves open and our clients do not."""
    OpenAPIV31SpecValidator(document).validate()
    ids = []
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            assert method in METHODS, (path, method)
            where = f"{method} {path}"
            ids.append(operation["operationId"])
            for status, response in operation["responses"].items():
                assert status.isdigit(), f"{where}: {status} is no one status"
                assert response.get("description"), f"{where}: {status} has no description"
            assert any(status[0] == "2" for status in operation["responses"]), where
            if method in ["post", "put"]:
                wanted = {"400", "401", "403", "408", "409", "413", "415", "422", "429", "503"}
                wanted |= {"404"} if "{" in path else set()
                assert wanted <= set(operation["responses"]), f"{where}: {wanted - set(operation['responses'])}"
            for parameter in operation.get("parameters", []):
                assert "null" not in json.dumps(parameter["schema"]), f"{where}: {parameter['name']} may be null"
    assert len(ids) == len(set(ids)), "an operationId stands twice"
    for name, schema in document["components"]["schemas"].items():
        for object_schema in objects(schema):
            is_open = "properties" not in object_schema or name == "Problem"
            assert is_open or object_schema.get("additionalProperties") is False, f"{name} is open"


def objects(schema):
    if isinstance(schema, list):
        for one in schema:
            yield from objects(one)
    elif isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for one in schema.values():
            yield from objects(one)


def generate(document, folder):
    """The client, without one warning."""
    (folder / "openapi.json").write_text(json.dumps(document))
    kinds = {"application/jsonl": "text/plain",
             "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "application/octet-stream"}
    config = {"project_name_override": "adjudge", "package_name_override": "adjudge_client",
              "literal_enums": True, "post_hooks": [],
              "content_type_overrides": kinds}
    (folder / "config.json").write_text(json.dumps(config))
    program = Path(sys.executable).parent / "openapi-python-client"
    subprocess.run([program, "generate", "--path", "openapi.json", "--config", "config.json", "--meta", "none",
                    "--fail-on-warning"], cwd=folder, check=True)
    sys.path.insert(0, str(folder))


class Checked:
    """Calls operations of the generated client, and compares each answer with its description."""

    def __init__(self, document, server, tokens):
        self.document, self.server, self.tokens = document, server, tokens
        self.checked = set()
        self.operations = {operation["operationId"]: (path, method, operation)
                           for path, methods in document["paths"].items() for method, operation in methods.items()}

    def call(self, role, name, *args, expect=None, **fields):
        """One operation; what the client made of the answer, and the answer itself."""
        _, _, operation = self.operations[name]
        tag = operation["tags"][0].replace("-", "_")
        module = importlib.import_module(f"adjudge_client.api.{tag}.{name}")
        client = importlib.import_module("adjudge_client").AuthenticatedClient(
            base_url=self.server, token=self.tokens[role], timeout=httpx.Timeout(20))
        answer = module.sync_detailed(*args, client=client, **fields)
        status = str(int(answer.status_code))
        assert expect is None or status == str(expect), f"{name}: {status} {answer.content!r}"
        self.compare(name, operation, status, answer.headers, answer.content)
        return answer.parsed, answer

    def compare(self, name, operation, status, headers, content):
        assert status in operation["responses"], f"{name}: {status} is not described: {content!r}"
        described = operation["responses"][status]
        kind = headers["content-type"].split(";")[0]
        assert kind in described["content"], f"{name}: {status} is {kind}, and described as {list(described['content'])}"
        if kind in ["application/json", "application/problem+json"]:
            schema = {**described["content"][kind]["schema"], "components": self.document["components"]}
            validator = Draft202012Validator(schema, format_checker=FormatChecker())
            found = validator.iter_errors(json.loads(content))
            faults = [f"{'/'.join(map(str, fault.path))}: {fault.message}" for fault in found]
            assert not faults, f"{name} {status}: {faults}"
        self.checked.add((name, status))


def work(api, models, tournament):
    """A slip from its filing to the exports, and the refusals on the way."""
    key = lambda: str(uuid4())
    slip = models.FileSlip(division="A", words=["QI", "CAT"], declared_count=2, table=1, challenger="Ann", opponent="Ben",
                           play_score=34, out_play=False)
    first = key()
    ruled, answer = api.call("client", "file_slip", tournament, body=slip, idempotency_key=first, expect=201)
    assert ruled.ruling == "acceptable" and json.loads(answer.content) == {"ruling": "acceptable"}
    where = answer.headers["location"].rsplit("/", 1)[1]
    again, answer = api.call("client", "file_slip", tournament, body=slip, idempotency_key=first, expect=201)
    assert again == ruled and answer.headers["idempotency-replayed"] == "true"
    found, _ = api.call("client", "resolve_key", tournament, body=models.Nothing(), idempotency_key=first, expect=201)
    assert found.ruling == "acceptable"
    none, _ = api.call("client", "resolve_key", tournament, body=models.Nothing(), idempotency_key=key(), expect=200)
    assert none.ruling is None

    # Refusals are described too.
    api.call("client", "file_slip", tournament, body=slip, idempotency_key="no key", expect=400)
    api.call("client", "file_slip", "elsewhere", body=slip, idempotency_key=key(), expect=404)
    api.call("observer", "file_slip", tournament, body=slip, idempotency_key=key(), expect=403)
    wrong = models.FileSlip(division="A", words=["C-T"], table=2)
    _, answer = api.call("client", "file_slip", tournament, body=wrong, idempotency_key=key(), expect=422)
    assert json.loads(answer.content)["field"] == "words[0]"
    part = models.FileSlip(division="A", words=["CAT", "ZO"], table=1)
    _, answer = api.call("client", "file_slip", tournament, body=part, idempotency_key=key(), expect=409)
    held = answer.headers["location"].rsplit("/", 1)[1]

    for role in ["client", "judge", "director", "observer"]:
        read, _ = api.call(role, "read_slip", where, expect=200)
        assert (read.state, read.number, read.words) == ("ruled", 1, ["QI", "CAT"])
    api.call("director", "read_slip", held, expect=200)
    api.call("judge", "read_queue", tournament, expect=200)
    api.call("judge", "release_slip", held, body=models.ReleaseSlip(decision="new-play"), expect=201)

    # A review, answered by a look-up; then a director's ruling.
    asks = models.RequestReview(requested_by="opponent", reason="disagree")
    review, _ = api.call("client", "request_review", where, body=asks, idempotency_key=key(), expect=201)
    read, _ = api.call("director", "read_slip", where, expect=200)
    assert read.review.open_.id == review.review
    api.call("judge", "read_slip", where, expect=200)
    queue, _ = api.call("director", "read_queue", tournament, expect=200)
    assert [item.kind for item in queue.items] == ["review"]
    api.call("judge", "claim_item", str(review.review), body=models.Nothing(), expect=201)
    opinion = models.LookUpAgain(method="lookup", words=["QI", "CAT"])
    again, _ = api.call("judge", "answer_review", str(review.review), body=opinion, expect=201)
    assert again.ruling == "acceptable"
    rule = models.RuleOnSlip(ruling="acceptable", ground="both stand in the list", note="")
    api.call("director", "rule_on_slip", where, body=rule, expect=201)
    api.call("director", "rule_on_slip", where, body=models.RuleOnSlip(ruling="acceptable", ground=""), expect=422)
    ended = models.DisposeChallenge(division="A", kind="withdrawn", reason="the blank was an O", table=3,
                                    declared_by="challenger", words=["ZA"])
    api.call("judge", "dispose_challenge", tournament, body=ended, expect=201)
    paper = models.EnterPaperRuling(division="A", words=["ZA"], table=4, ruling="acceptable", by="Carol",
                                    at=models_time("2026-11-29T09:12:00+01:00"), source="printed list, page 17")
    api.call("judge", "enter_paper_ruling", tournament, body=paper, expect=201)
    incident = models.ReportIncident(division="A", kind="blank", ruling="the blank is an O")
    api.call("director", "report_incident", tournament, body=incident, expect=201)
    round_ = models.SetRound(division="A", number=1, state="open")
    api.call("director", "set_round", tournament, body=round_, expect=201)
    settings = models.DivisionSettings(points=7, tables="1-20,31", hold_ms=1500)
    division = models.SetDivision(lexicon="T", ruleset="wespa", settings=settings)
    api.call("director", "set_division", tournament, "B", body=division, expect=200)
    api.call("director", "set_division", tournament, "B", body=models.SetDivision(lexicon="T", ruleset="wespa"), expect=200)

    # What directors and observers read.
    page, _ = api.call("observer", "audit", tournament, limit=2, expect=200)
    assert len(page.slips) == 2 and page.next_
    api.call("observer", "audit", tournament, after=page.next_, state="ruled", ruling="acceptable", expect=200)
    api.call("observer", "audit", tournament, limit=201, expect=422)
    for name in ["statistics", "list_incidents", "export_incidents", "checkpoint", "key", "list_approvals"]:
        api.call("director", name, tournament, expect=200)
    api.call("director", "recheck", tournament, lexicon="T", expect=200)
    csv, answer = api.call("observer", "audit_csv", tournament, reviewed=True, expect=200)
    lines = answer.content.decode().split("\r\n")
    assert lines[0].startswith("number,") and len(lines) == 3 and csv == answer.content.decode()
    lines, _ = api.call("observer", "audit_jsonl", tournament, expect=200)
    slips = [json.loads(line) for line in lines.splitlines()]
    assert [one["number"] for one in slips] == [4, 3, 2, 1]
    workbook, _ = api.call("observer", "audit_xlsx", tournament, expect=200)
    assert workbook.payload.read(2) == b"PK"
    api.call("observer", "penalties_csv", tournament, expect=200)
    _, answer = api.call("director", "entries", tournament, limit=5, expect=200)
    assert len(answer.content.splitlines()) == 5
    proof, _ = api.call("observer", "inclusion", tournament, seq=2, size=5, expect=200)
    assert (proof.seq, proof.size) == (2, 5)
    api.call("observer", "consistency", tournament, from_=2, to=5, expect=200)
    api.call("observer", "consistency", tournament, from_=5, to=2, expect=422)
    for name in ["server_entries", "server_checkpoint", "server_key"]:
        api.call("director", name, expect=200)
    api.call("observer", "server_key", expect=403)
    api.call("director", "server_inclusion", seq=0, expect=200)
    api.call("director", "server_consistency", from_=1, expect=200)
    api.call("client", "list_lexicons", expect=200)
    api.tokens["nobody"] = "x"
    api.call("nobody", "list_lexicons", expect=401)
    for name in ["health", "readiness", "metrics"]:
        api.call("nobody", name, expect=200)


def models_time(text):
    from datetime import datetime
    return datetime.fromisoformat(text)


def main():
    server, folder = sys.argv[1], Path(sys.argv[2])
    tokens = json.load(sys.stdin)
    document = httpx.get(f"{server}/api/v1/openapi.json").raise_for_status().json()
    check_document(document)
    generate(document, folder)
    api = Checked(document, server, tokens)
    work(api, importlib.import_module("adjudge_client.models"), tokens["tournament"])
    print(f"{len(api.operations)} operations are described; {len(api.checked)} kinds of answers were compared")


if __name__ == "__main__":
    main()
