#!/usr/bin/env python3
# Writes statistics.json, the vectors of StatisticsTests, with SciPy, NumPy and statsmodels:
#     Tests/Effect/Vectors/make.py >Tests/Effect/Vectors/statistics.json
import json
import math

import numpy as np
from scipy import optimize, stats
from scipy.special import gammaln
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

ALPHA = 0.05


def squared_rho(expected):
    return (-2 * math.log(ALPHA) + math.log(-2 * math.log(ALPHA) + 1)) / expected


def multiple(n, expected, alpha):
    v = n * squared_rho(expected)
    return math.sqrt(2 * (v + 1) / v * math.log(math.sqrt(v + 1) / alpha))


def share(k, n):
    return {"yes": k, "count": n}


# Strata: (treated yes, treated count, control yes, control count)
SHARES = [
    [(2422, 3461, 1396, 3000)],
    [(56, 70, 48, 80)],
    [(31, 1000, 2, 120)],
    [(0, 40, 3, 50)],
    [(900, 1000, 80, 100), (450, 900, 480, 1000)],
    [(120, 4000, 9, 444), (25, 700, 11, 700), (7, 100, 30, 900)],
]


def strata_estimate(strata):
    n = sum(s[1] + s[3] for s in strata)
    weights = np.array([(s[1] + s[3]) / n for s in strata])
    p1 = np.array([s[0] / s[1] for s in strata])
    p0 = np.array([s[2] / s[3] for s in strata])
    n1 = np.array([s[1] for s in strata])
    n0 = np.array([s[3] for s in strata])
    d = float(np.sum(weights * (p1 - p0)))
    spread = float(np.sum(weights * (p1 - p0 - d) ** 2) / n)
    within = float(np.sum(weights**2 * (p1 * (1 - p1) / n1 + p0 * (1 - p0) / n0)))
    return n, weights, p1, p0, d, spread, within


def share_vector(strata, expected):
    n, weights, p1, p0, d, spread, within = strata_estimate(strata)
    se = math.sqrt(within + spread)
    z = stats.norm.ppf(1 - ALPHA / 2)
    low = high = z * z * spread
    for (k1, m1, k0, m0), w in zip(strata, weights):
        l1, u1 = proportion_confint(k1, m1, ALPHA, method="wilson")
        l0, u0 = proportion_confint(k0, m0, ALPHA, method="wilson")
        low += w**2 * ((k1 / m1 - l1) ** 2 + (u0 - k0 / m0) ** 2)
        high += w**2 * ((u1 - k1 / m1) ** 2 + (k0 / m0 - l0) ** 2)
    fixed = (d - math.sqrt(low), d + math.sqrt(high))
    if len(strata) == 1:
        k1, m1, k0, m0 = strata[0]
        theirs = confint_proportions_2indep(k1, m1, k0, m0, method="newcomb", compare="diff", alpha=ALPHA)
        assert np.allclose(fixed, theirs, rtol=0, atol=1e-12), (fixed, theirs)
    half = [se * multiple(n, expected, a) for a in (0.05, 0.025, 0.001)]
    return {
        "strata": [{"treated": share(s[0], s[1]), "control": share(s[2], s[3])} for s in strata],
        "expectedUnits": expected, "difference": d, "standardError": se, "halfWidths": half,
        "newcombe": fixed,
    }


def mean_vector(seed, n1, n0):
    random = np.random.default_rng(seed)
    prices = np.array([0, 0, 0, 4990, 9990, 59990, -9990])
    a, b = random.choice(prices, n1), random.choice(prices, n0) + random.choice([0, 1000], n0)
    pooled = np.concatenate([a, b])
    bounds = [int(np.percentile(pooled, q, method="inverted_cdf")) for q in (1, 99)]
    a, b = np.clip(a, *bounds), np.clip(b, *bounds)
    compared = CompareMeans(DescrStatsW(a), DescrStatsW(b))
    low, high = compared.tconfint_diff(alpha=ALPHA, usevar="unequal")
    theirs = stats.ttest_ind(a, b, equal_var=False)
    assert math.isclose(theirs.pvalue, compared.ttest_ind(usevar="unequal")[1], rel_tol=1e-9)
    return {
        "treated": counts(a), "control": counts(b), "difference": float(a.mean() - b.mean()),
        "standardError": math.sqrt(a.var(ddof=1) / n1 + b.var(ddof=1) / n0), "welch": (low, high),
    }


def counts(values):
    return {str(int(v)): int(c) for v, c in zip(*np.unique(values, return_counts=True))}


def middle_vector(seed, n):
    values = np.random.default_rng(seed).integers(-50, 400, n)
    return {
        "values": counts(values),
        "low": int(np.percentile(values, 1, method="inverted_cdf")),
        "high": int(np.percentile(values, 99, method="inverted_cdf")),
    }


def sample_ratio(n, q):
    a, n, q = 1000 * np.array(q), np.array(n), np.array(q)
    # Bayes' factor: a Dirichlet-multinomial against a multinomial.
    factor = stats.multinomial.logpmf(n, n.sum(), q)
    mixed = gammaln(1000) + gammaln(n.sum() + 1) - gammaln(n.sum() + 1000)
    mixed += np.sum(gammaln(n + a) - gammaln(a) - gammaln(n + 1))
    return {"counts": n.tolist(), "shares": q.tolist(), "evidence": float(mixed - factor)}


def plan(tap, held, baseline, effect, expected):
    p0 = 1 - tap + tap * baseline
    p1 = p0 + tap * effect
    variance = p0 * (1 - p0) / held + p1 * (1 - p1) / (1 - held)
    ratio = variance / (tap * effect) ** 2
    power = stats.norm.ppf(0.8)
    once = ratio * (stats.norm.ppf(1 - ALPHA / 2) + power) ** 2
    every = optimize.brentq(lambda n: ratio * (multiple(n, expected, ALPHA) + power) ** 2 - n, 10, 1e12, xtol=1e-6)
    return {
        "tapShare": tap, "heldOut": held, "baseline": baseline, "effect": effect, "expectedUnits": expected,
        "units": every, "unitsForOneLook": once,
    }


VECTORS = {
    "shares": [share_vector(s, n) for s in SHARES for n in (5000, 400)],
    "means": [mean_vector(1, 150, 150), mean_vector(2, 2000, 220), mean_vector(3, 101, 9000)],
    "middles": [middle_vector(4, 99), middle_vector(5, 100), middle_vector(6, 1234)],
    "sampleRatios": [
        sample_ratio([8800, 1200], [0.9, 0.1]), sample_ratio([9000, 1000], [0.9, 0.1]),
        sample_ratio([333, 350, 317], [0.3333, 0.3333, 0.3334]), sample_ratio([90_200_000, 9_800_000], [0.9, 0.1]),
        sample_ratio([1, 0], [0.5, 0.5]),
    ],
    "plans": [plan(t, h, 0.017, 0.014, 5000) for t in (1, 0.9, 0.5) for h in (0.1, 0.5)]
    + [plan(0.2, 0.05, 0.025, 0.055, 20000)],
    "normal": [[p, stats.norm.ppf(p)] for p in (0.975, 0.8, 0.5, 0.0005, 1 - 1e-7)],
}
# One vector a line.
groups = [f'"{name}": [\n' + ",\n".join(map(json.dumps, rows)) + "\n]" for name, rows in VECTORS.items()]
print("{" + ",\n".join(groups) + "}")
