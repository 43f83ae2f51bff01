"""Independent trajectories of the decentralised methods (ADMM, M-ADMM, R-ADMM, MR-ADMM).

Runs every method on a small irregular network, from the published equations and from the
documented random streams (streams.py) alone, and writes what
tests/testthat/test-trajectories.R compares the package with:

    python3 tests/reference/trajectories.py [folder]      (default: tests/testthat/fixtures)

Only numpy is needed. The script checks itself before it writes anything: the cipher against
RFC 8439, each loss's derivatives against differences, every node problem solved to a gradient
norm below 1e-13, and each recycled update against the one recomputed from the data.
"""

import csv
import math
import sys
from pathlib import Path

import numpy as np

from streams import (PURPOSE_OBJECTIVE, PURPOSE_OUTPUT, Stream, check_cipher, key_from_seed, party_key,
                     release)

GRADIENT_NORM = 1e-13
RECYCLED_TOLERANCE = 1e-10

# --------------------------------------------------------------------------------------
# Losses: value, first and second derivative in the score s = f'x

HUBER_THRESHOLD = 1.0
HINGE_WIDTH = 0.5


def logistic(s, y):
    m = y * s
    p = np.where(m >= 0, np.exp(-np.abs(m)), 1.0) / (1 + np.exp(-np.abs(m)))  # 1/(1 + e^m)
    return np.maximum(-m, 0) + np.log1p(np.exp(-np.abs(m))), -y * p, p * (1 - p)


def squared(s, y):
    return (y - s) ** 2 / 2, s - y, np.ones_like(s)


def huber(s, y):
    r, h = y - s, HUBER_THRESHOLD
    inside = np.abs(r) <= h
    return (np.where(inside, r**2 / 2, h * np.abs(r) - h**2 / 2), -np.clip(r, -h, h),
            inside.astype(float))


def hinge(s, y):
    m, h = y * s, HINGE_WIDTH
    inside = np.abs(1 - m) <= h
    value = np.where(inside, (1 + h - m) ** 2 / (4 * h), np.maximum(1 - m, 0))
    slope = np.where(inside, -(1 + h - m) / (2 * h), np.where(m < 1 - h, -1.0, 0.0))
    return value, y * slope, inside / (2 * h)


LOSSES = {"logistic": logistic, "squared": squared, "huber": huber, "hinge": hinge}


def check_losses():
    s, step = np.linspace(-3.0123, 3.0456, 301), 1e-6
    for name, loss in LOSSES.items():
        for y in (-1.0, 1.0):
            value, slope, curvature = zip(*[loss(s + k * step, y) for k in (-1, 0, 1)])
            assert np.max(np.abs((value[2] - value[0]) / (2 * step) - slope[1])) < 1e-8, name
            # Curvature jumps at a few kinks of the piecewise losses; none is on the grid.
            assert np.max(np.abs((slope[2] - slope[0]) / (2 * step) - curvature[1])) < 1e-8, name


# --------------------------------------------------------------------------------------
# One node

class Node:
    """A node's objective O(f) = (C/B) sum L(f'x, y) + (rho/N) |f|^2/2."""

    def __init__(self, x, y, loss, C, ridge):
        self.x, self.y, self.loss, self.ridge = x, y, LOSSES[loss], ridge
        self.weight = C / len(y)

    def evaluate(self, f):
        value, slope, curvature = self.loss(self.x @ f, self.y)
        gradient = self.weight * (self.x.T @ slope) + self.ridge * f
        hessian = self.weight * (self.x.T * curvature) @ self.x + self.ridge * np.eye(len(f))
        return self.weight * value.sum() + self.ridge * (f @ f) / 2, gradient, hessian

    def gradient(self, f):
        return self.evaluate(f)[1]

    def minimise(self, linear, penalty, centres, start):
        """argmin O(f) + linear'f + penalty sum_j |centre_j - f|^2, by damped Newton."""

        def problem(f):
            value, gradient, hessian = self.evaluate(f)
            away = f - centres
            return (value + linear @ f + penalty * (away**2).sum(),
                    gradient + linear + 2 * penalty * away.sum(axis=0),
                    hessian + 2 * penalty * len(centres) * np.eye(len(f)))

        f = start.copy()
        value, gradient, hessian = problem(f)
        for _ in range(200):
            if np.linalg.norm(gradient) < GRADIENT_NORM:
                return f
            step = -np.linalg.solve(hessian, gradient)
            length = 1.0
            while True:
                new = problem(f + length * step)
                # At the end the value's rounding hides the decrease: the gradient shows it.
                if (new[0] <= value + 1e-4 * length * (gradient @ step)
                        or np.linalg.norm(new[1]) < 0.5 * np.linalg.norm(gradient)):
                    break
                length /= 2
                if length < 1e-10:
                    raise ArithmeticError("the line search failed")
            f = f + length * step
            value, gradient, hessian = new
        raise ArithmeticError("Newton's method did not reach the asked gradient norm")


# --------------------------------------------------------------------------------------
# The methods

def run(case, nodes, neighbours):
    """Iterates [iteration, node, coefficient] of one case, iterations 1, 2, ..."""
    n, d = len(nodes), nodes[0].x.shape[1]
    method, iterations = case["method"], case["iterations"]
    recycled = method in ("r_admm", "mr_admm")
    key = key_from_seed(case["seed"])
    degree = [len(v) for v in neighbours]

    def parameter(name, i):
        return float(np.broadcast_to(case[name], n)[i])

    def scale_of(i, update):
        scale = np.asarray(case["scale"], dtype=float)
        return float(scale[i, update - 1] if scale.ndim == 2 else np.broadcast_to(scale, n)[i])

    def draw(i, t, update, purpose):
        if case["noise"] == "none":
            return np.zeros(d)
        return getattr(Stream(party_key(key, i), 0, t, purpose), case["noise"])(scale_of(i, update), d)

    def sent(i, t, update, value):
        """Primal perturbation: noise on a value is discrete, on a grid."""
        if case["noise"] == "none":
            return value
        stream = Stream(party_key(key, i), 0, t, PURPOSE_OUTPUT)
        return release(stream, case["noise"], scale_of(i, update), value)

    def apart(f, i):
        """sum over neighbours of f_i - f_j"""
        return sum((f[i] - f[j] for j in neighbours[i]), np.zeros(d))

    f = np.zeros((n, d)) if case["start"] is None else np.array(case["start"])
    dual = np.zeros((n, d))
    before, dual_before, penalty, linear = f, dual, np.zeros(n), np.zeros((n, d))
    out = []
    for t in range(1, iterations + 1):
        new = np.empty((n, d))
        if recycled and t % 2 == 0:
            for i in range(n):
                pulls = sum(2 * f[i] - before[i] - before[j] for j in neighbours[i])
                objective = -2 * dual_before[i] - penalty[i] * pulls  # grad O + b, by KKT
                rest = 2 * dual[i] + penalty[i] * apart(f, i)
                length = 1 / (2 * penalty[i] * degree[i] + parameter("gamma", i))
                new[i] = f[i] - length * (objective + rest)
                fresh = f[i] - length * (nodes[i].gradient(f[i]) + linear[i] + rest)
                assert np.max(np.abs(fresh - new[i])) < RECYCLED_TOLERANCE, (case["case"], t, i)
            f = new
        else:
            update = (t + 1) // 2 if recycled else t
            for i in range(n):
                eta = parameter("eta", i)
                if method in ("m_admm", "mr_admm"):
                    eta *= parameter("growth", i) ** update
                penalty[i] = eta
                linear[i] = 0.0
                if case["perturb"] == "dual":
                    linear[i] = draw(i, t, update, PURPOSE_OBJECTIVE)
                elif case["perturb"] == "penalty":
                    linear[i] = 2 * eta * degree[i] * draw(i, t, update, PURPOSE_OBJECTIVE)
                centres = np.array([(f[i] + f[j]) / 2 for j in neighbours[i]])
                new[i] = nodes[i].minimise(2 * dual[i] + linear[i], eta, centres, f[i])
                if case["perturb"] == "primal":
                    new[i] = sent(i, t, update, new[i])
            before, dual_before = f, dual
            f = new
            theta = [parameter("theta", i) if method == "m_admm" else penalty[i] for i in range(n)]
            dual = dual + np.array([theta[i] / 2 * apart(f, i) for i in range(n)])
        out.append(f.copy())
    return np.array(out)


# --------------------------------------------------------------------------------------
# The problem and the cases

EDGES = [(0, 1), (1, 2), (1, 3), (2, 3)]  # degrees 1, 3, 2, 2
SIZES = [7, 12, 5, 9]
C, RHO = 5.0, 0.7  # C may not exceed the smallest node's number of records
D, ITERATIONS, SEED = 5, 7, 7


def records():
    """Rows (node, label, response, x) of norm at most 1, the nodes' records interleaved."""
    stream = Stream(key_from_seed(20), 0, 0, 0)
    left = [i for i, size in enumerate(SIZES) for _ in range(size)]
    truth = np.array([1.5, -2.0, 0.5, 0.0, 1.0])
    rows = []
    while left:
        node = left.pop(int(stream.uniform() * len(left)))
        x = stream.gaussian(1.0, D) + 0.4 * node
        x *= (0.4 + 0.599 * stream.uniform()) / np.linalg.norm(x)
        x = np.round(x, 4)
        label = 1.0 if stream.uniform() < 1 / (1 + math.exp(-2 * truth @ x)) else -1.0
        response = round(float(truth @ x) + 0.7 * float(stream.gaussian(1.0, 1)[0]), 4)
        assert np.linalg.norm(x) <= 1
        rows.append((node, label, response, x))
    return rows


PER_NODE = {
    "eta": [0.9, 0.7, 1.1, 0.6],
    "growth": [1.03, 1.1, 1.0, 1.05],
    "theta": [0.5, 0.4, 0.6, 0.45],
    "gamma": [0.6, 0.3, 0.9, 0.0],
    "scale": [2.0, 3.5, 1.5, 2.5],
}

METHODS = {
    "admm": dict(eta=0.8),
    "m_admm": dict(eta=0.8, growth=1.08, theta=0.5),
    "r_admm": dict(eta=0.8, gamma=0.6),
    "mr_admm": dict(eta=0.8, growth=1.08, gamma=0.6),
}


def cases():
    found = []

    def add(name, method, loss="logistic", noise="none", primal=False, per_node=False, scale=None,
            light=False, start=None):
        settings = {key: PER_NODE[key] if per_node and key in PER_NODE else value
                    for key, value in METHODS[method].items()}
        if light:
            settings.update({key: (0.3 * np.asarray(settings[key])).tolist()
                             for key in ("eta", "theta") if key in settings})
        perturb = "primal" if primal else "penalty" if method == "m_admm" else "dual"
        found.append(dict(case=name, method=method, perturb=perturb, loss=loss, noise=noise,
                          C=C, rho=0.05 if light else RHO, iterations=ITERATIONS, seed=SEED,
                          scale=scale, start=start, **settings))

    for method in METHODS:
        add(f"{method}-exact", method)
        add(f"{method}-exact-nodes", method, per_node=True)
        # Gamma-norm noise shrinks with alpha, Gaussian noise grows with sigma.
        for noise, usual in (("gamma", 2.5), ("gaussian", 0.4)):
            unit = 1.0 if noise == "gamma" else 0.2
            nodes = [unit * a for a in PER_NODE["scale"]]
            updates = ITERATIONS // 2 + 1 if method in ("r_admm", "mr_admm") else ITERATIONS
            table = [[a * (1 + 0.1 * k) for k in range(updates)] for a in nodes]
            for primal in (False, True) if method == "admm" else (False,):
                stem = f"{method}-{'primal-' if primal else ''}{noise}"
                add(stem, method, noise=noise, primal=primal, scale=usual)
                add(f"{stem}-nodes", method, noise=noise, primal=primal, per_node=True,
                    scale=nodes)
                add(f"{stem}-updates", method, noise=noise, primal=primal, scale=table)
        add(f"{method}-start", method, per_node=True,
            start=[[(-1) ** k * (0.5 * i - 0.3 * k) for k in range(D)] for i in range(len(SIZES))])
    # Light penalties, so that scores reach every piece of the piecewise losses (check_pieces).
    for loss in ("squared", "huber", "hinge"):
        for method in METHODS:
            add(f"{method}-{loss}", method, loss=loss, per_node=method != "r_admm", light=True)
    return found


# --------------------------------------------------------------------------------------
# Writing

def number(value):
    return value if isinstance(value, (str, int)) else f"{value:.17g}"


def write(path, header, rows):
    with open(path, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(header)
        out.writerows([number(value) for value in row] for row in rows)


def parameter_rows(case):
    """One row a number: no node where all share it; the column is a noisy update's number (scale)
    or a coefficient's (start)."""
    for name in ("eta", "growth", "theta", "gamma", "scale", "start"):
        value = np.asarray(np.nan if case.get(name) is None else case[name], dtype=float)
        if np.isnan(value).any():
            continue
        for index in np.ndindex(value.shape):
            at = [k + 1 for k in index] + [""] * (2 - len(index))
            yield [case["case"], name, *at, float(value[index])]


def check_pieces(case, nodes, path):
    """The last iterates have records on every piece of a piecewise loss."""
    slopes = np.abs(np.concatenate([nodes[i].loss(nodes[i].x @ f, nodes[i].y)[1]
                                    for i, f in enumerate(path[-1])]))
    curved = np.any((slopes > 0) & (slopes < 1))
    if case["loss"] in ("huber", "hinge"):
        assert curved and np.any(slopes == 1), case["case"]
    if case["loss"] == "hinge":
        assert np.any(slopes == 0), case["case"]


def main(folder):
    check_cipher()
    check_losses()
    rows = records()
    node = np.array([row[0] for row in rows])
    x = np.array([row[3] for row in rows])
    target = {"label": np.array([row[1] for row in rows]),
              "response": np.array([row[2] for row in rows])}
    neighbours = [[b if a == i else a for a, b in EDGES if i in (a, b)] for i in range(len(SIZES))]
    coefficients = [f"f{k + 1}" for k in range(D)]

    settings, parameters, iterates = [], [], []
    columns = ["case", "method", "perturb", "loss", "noise", "C", "rho", "iterations", "seed"]
    for case in cases():
        y = target["response" if case["loss"] in ("squared", "huber") else "label"]
        nodes = [Node(x[node == i], y[node == i], case["loss"], case["C"], case["rho"] / len(SIZES))
                 for i in range(len(SIZES))]
        path = run(case, nodes, neighbours)
        check_pieces(case, nodes, path)
        settings.append([case[name] for name in columns])
        parameters += parameter_rows(case)
        iterates += [[case["case"], t + 1, i + 1, *path[t, i]]
                     for t in range(path.shape[0]) for i in range(path.shape[1])]

    folder.mkdir(parents=True, exist_ok=True)
    write(folder / "trajectory-records.csv",
          ["node", "label", "response"] + [f"x{k + 1}" for k in range(D)],
          [[i + 1, label, response, *map(float, row)] for i, label, response, row in rows])
    write(folder / "trajectory-edges.csv", ["from", "to"], [[a + 1, b + 1] for a, b in EDGES])
    write(folder / "trajectory-cases.csv", columns, settings)
    write(folder / "trajectory-parameters.csv",
          ["case", "parameter", "node", "column", "value"], parameters)
    write(folder / "trajectory-iterates.csv",
          ["case", "iteration", "node"] + coefficients, iterates)


if __name__ == "__main__":
    default = Path(__file__).resolve().parent.parent / "testthat" / "fixtures"
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else default)
