#!/usr/bin/env python3
# Writes examples/report/sums.ndjson: invented sums with each verdict in them.
import datetime
import json
import random

random.seed(42)
START = datetime.date(2026, 10, 26)
DAYS = 28


def line(value):
    print(json.dumps(value, separators=(",", ":")))


def draw(count, chance):
    return sum(random.random() < chance for _ in range(count))


def counts(outcome, units, chance):
    yes = draw(units, chance)
    return {"outcome": outcome, "counts": {"0": units - yes, "1": yes}}


def experiment(kind, rule, salt, per_day, arms, epochs, kept, answers, lost=0.0, **more):
    shares = [dict(zip(arms, e["shares"])) for e in epochs]
    head = []
    for e, s in zip(epochs, shares):
        present = per_day * e["days"] * 2
        head.append({
            "from": f"{START + datetime.timedelta(e['first'])}T00:00:00Z",
            "arms": [{"arm": a, "share": s[a]} for a in arms],
            "decisions": {"present": present - int(present * lost), "missing": int(present * lost)}})
    cells, totals = [], dict.fromkeys(arms, 0)
    for number, (e, s) in enumerate(zip(epochs, shares)):
        for arm in arms:
            for day in range(e["first"], e["first"] + e["days"]):
                units = draw(per_day, s[arm] / sum(s.values()) * (1 - more.get("thin", {}).get(arm, 0)))
                totals[arm] += units
                values = []
                if day < DAYS - 3:
                    values = [counts("kept24h", units, kept[arm]), counts("placebo", units, 0.08)]
                    values += [counts("redeemed24h", units, 0.06 if "offer" in arm or arm == "treated" else 0.001)]
                if day < DAYS - 9:
                    values.append(counts("kept7d", units, kept[arm] - 0.03))
                cells.append({
                    "epoch": number, "arm": arm, "day": str(START + datetime.timedelta(day)), "units": units,
                    "values": values})
    line({
        "kind": kind, "rule": rule, "salt": salt, "epochs": head,
        "answers": {a: {k: int(totals[a] * p) for k, p in answers[a].items()} for a in arms},
        "checkedUnits": sum(totals.values()), "differentUnits": more.get("different", 0)})
    for cell in cells:
        line(cell)


line({
    "app": "com.example.app", "environment": "Production", "now": f"{START + datetime.timedelta(DAYS)}T00:00:00Z",
    "quality": {
        "decisions": 64210, "missingDecisions": 12, "knownUnits": 31877, "unknownUnits": 204, "otherKeyInstances": 0,
        "decisionsUntil": f"{START + datetime.timedelta(DAYS)}T00:00:00Z",
        "notificationsUntil": f"{START + datetime.timedelta(DAYS)}T00:00:00Z"}})
WHOLE = [{"first": 0, "days": DAYS, "shares": [5000, 5000]}]
experiment(
    "holdout", None, "h-2026", 900, ["heldOut", "treated"],
    [{"first": 0, "days": 8, "shares": [500, 9500]}, {"first": 8, "days": DAYS - 8, "shares": [1000, 9000]}],
    {"heldOut": 0.47, "treated": 0.53},
    {"heldOut": {"none": 1}, "treated": {"message": 0.74, "switch": 0.2, "offer": 0.0595, "none": 0.0005}})
experiment(
    "rollout", "annual_upsell", "r-1", 100, ["out", "in"], WHOLE, {"out": 0.52, "in": 0.52},
    {"out": {"message": 1}, "in": {"switch": 0.97, "message": 0.03}})
experiment(
    "rollout", "win_back", "r-2", 3, ["out", "in"], [{"first": 22, "days": 6, "shares": [9000, 1000]}],
    {"out": 0.5, "in": 0.5}, {"out": {"message": 1}, "in": {"offer": 1}})
experiment(
    "arms", "annual_upsell", "a-1", 300, ["text", "switch", "offer"],
    [{"first": 0, "days": DAYS, "shares": [3334, 3333, 3333]}], {"text": 0.5, "switch": 0.51, "offer": 0.4},
    {"text": {"message": 1}, "switch": {"switch": 1}, "offer": {"offer": 0.9, "message": 0.1}})
experiment(
    "arms", "winter", "a-2", 200, ["plain", "snow"], WHOLE, {"plain": 0.5, "snow": 0.6},
    {"plain": {"message": 1}, "snow": {"message": 1}}, lost=0.08, thin={"snow": 0.15}, different=41)
