"""Independent trajectories of gradient ADMM (ADMM, AccADMM) of one data holder.

Runs Algorithms 2 and 3 of Xu et al. (2020), Differentially private ADMM algorithms for machine
learning, as printed: the steps in x are solved as the linear system that their optimality
condition is, the steps in y by bracketing the root of a subgradient, so neither uses the closed
forms of the package. Writes what tests/testthat/test-gradient-trajectories.R compares with:

    python3 tests/reference/gradient.py [folder]      (default: tests/testthat/fixtures)

Only numpy is needed. Random streams and losses are those of trajectories.py.
"""

import csv
import sys
from pathlib import Path

import numpy as np

from streams import PURPOSE_OBJECTIVE, Stream, check_cipher, key_from_seed, party_key, release
from trajectories import LOSSES


# --------------------------------------------------------------------------------------
# min over z of g(z) + curve (z - v)^2 / 2, by bisection of an increasing subgradient

def pull(penalty, z):
    """Ends of the subdifferential of g at z."""
    name, p = penalty
    if name == "l1":
        ends = (p[0], p[0]) if z > 0 else (-p[0], -p[0]) if z < 0 else (-p[0], p[0])
    elif name == "elastic_net":
        low, high = pull(("l1", p), z)
        ends = (low + p[1] * z, high + p[1] * z)
    elif name == "l2":
        ends = (p[0] * z, p[0] * z)
    elif name == "box":
        ends = (-np.inf if z <= p[0] else 0.0, np.inf if z >= p[1] else 0.0)
        if z < p[0]:
            ends = (-np.inf, -np.inf)
        if z > p[1]:
            ends = (np.inf, np.inf)
    else:
        ends = (0.0, 0.0)
    return ends


def minimise(penalty, v, curve):
    if pull(penalty, 0.0)[0] - curve * v <= 0 <= pull(penalty, 0.0)[1] - curve * v:
        return 0.0
    low, high = -1e3, 1e3
    for _ in range(200):
        z = (low + high) / 2
        if z in (low, high):
            break
        first, last = pull(penalty, z)
        if last + curve * (z - v) < 0:
            low = z
        elif first + curve * (z - v) > 0:
            high = z
        else:
            return z
    return (low + high) / 2


# --------------------------------------------------------------------------------------

def run(case):
    x0, A, b, c, rho, eta, gamma = (case[k] for k in ("start", "A", "b", "c", "rho", "eta", "gamma"))
    rows, labels, n, d = case["x"], case["y"], *case["x"].shape
    rows = rows * np.minimum(1, 1 / np.linalg.norm(rows, axis=1))[:, None]
    loss, key, B = LOSSES[case["loss"]], key_from_seed(case["seed"]), np.diag(b)
    G = gamma * np.eye(d) - eta * rho * A.T @ A
    accelerated = case["method"] == "acc_admm"

    def gradient(x, t, noisy=True):
        records = loss(rows @ x, labels)[1][:, None] * rows
        if case["clip"] is not None:
            norms = np.linalg.norm(records, axis=1)
            records = records * np.minimum(1, case["clip"] / np.maximum(norms, 1e-300))[:, None]
        out = case["C"] * records.mean(axis=0)
        if noisy and case["noise"] != "none":
            stream = Stream(party_key(key, 0), 0, t, PURPOSE_OBJECTIVE)
            return release(stream, case["noise"], case["scale"], out)
        return out

    x = x_hat = x0
    u = np.zeros(len(c))
    if case["init"] != "zero":
        u = -np.linalg.pinv(A.T) @ gradient(x0, 0, case["init"] == "noisy-gradient") / rho
    u_hat, theta = u, 1.0
    xs, ys = [], []
    for t in range(1, case["iterations"] + 1):
        v = A @ x_hat - c + u_hat
        y = np.array([minimise((case["penalty"], w * case["parameter"] if case["penalty"] != "box"
                                else case["parameter"]), -v[j] / b[j], rho * b[j] ** 2)
                      for j, w in enumerate(case["weights"])])
        # <grad, x> + rho/2 |Ax + By - c + u|^2 + |x - x_hat|_G^2 / (2 eta)
        x_new = np.linalg.solve(
            rho * A.T @ A + G / eta,
            G @ x_hat / eta - gradient(x_hat, t) - rho * A.T @ (B @ y - c + u_hat))
        u_new = u_hat + A @ x_new + B @ y - c
        next_theta = (1 + np.sqrt(1 + 4 * theta**2)) / 2
        momentum = (theta - 1) / next_theta if accelerated else 0.0
        x_hat, u_hat = x_new + momentum * (x_new - x), u_new + momentum * (u_new - u)
        x, u, theta = x_new, u_new, next_theta
        xs.append(x)
        ys.append(y)
    return {"iterates": np.array(xs), "split": ys[-1], "dual": u,
            "mean_x": np.mean(xs, axis=0), "mean_y": np.mean(ys, axis=0)}


def differences(edges, d):
    W = np.zeros((len(edges), d))
    for k, (i, j) in enumerate(edges):
        W[k, i], W[k, j] = 1, -1
    return W


def cases():
    n, d = 37, 5
    k = np.arange(1, n * d + 1)
    x = np.sin(k * np.sqrt(2)).reshape(n, d) * 0.7
    score = x @ np.array([1.0, -0.5, 0.0, 0.3, 0.3]) + 0.2 * np.cos(np.arange(n))
    graph = np.vstack([differences([(0, 1), (1, 4), (2, 3)], d), np.eye(d)])
    dense = np.cos(np.arange(1, 4 * d + 1) * np.sqrt(3)).reshape(4, d)
    base = dict(method="grad_admm", loss="logistic", penalty="l1", noise="none", init="zero", seed=0,
                scale=1.0, iterations=25, eta=1.5, rho=0.7, gamma=6.0, C=1.0, clip=None, x=x,
                y=np.where(score > 0, 1.0, -1.0), A=graph, b=-np.ones(8), c=np.zeros(8),
                parameter=np.array([0.02, 0.0]), weights=np.ones(8), start=np.zeros(d))
    out = {
        "plain": {},
        "accelerated": dict(method="acc_admm"),
        "private": dict(noise="gaussian", scale=0.3, seed=11),
        "private accelerated, weights": dict(
            method="acc_admm", noise="gaussian", scale=0.2, seed=12,
            weights=np.array([1.0, 1, 1, 0, 0, 0, 2, 2])),
        "noisy start, diagonal B": dict(
            noise="gaussian", scale=0.1, seed=13, init="noisy-gradient", penalty="elastic_net",
            parameter=np.array([0.03, 0.2]), b=np.array([-1, 2, -0.5, 1, 1, -3, 0.7, -1.0]),
            c=np.linspace(-0.3, 0.4, 8)),
        "printed start, dense A, Gamma-norm noise": dict(
            method="acc_admm", noise="gamma", scale=9.0, seed=14, init="paper", loss="hinge", A=dense,
            b=-np.ones(4), c=np.zeros(4), weights=np.ones(4), penalty="l2", gamma=9.0),
        "clipped squares": dict(
            loss="squared", y=score, clip=0.15, noise="gaussian", scale=0.05, seed=15, C=3.0, eta=0.3),
        "box, start": dict(
            method="acc_admm", loss="huber", y=3 * score, penalty="box", parameter=np.array([0.0, 0.4]),
            start=np.array([0.1, -0.2, 0.3, 0.0, 1.0]), A=np.eye(d), b=-np.ones(d), c=np.zeros(d),
            weights=np.ones(d)),
    }
    return {name: dict(base, **changes) for name, changes in out.items()}


SETTINGS = ("method", "loss", "penalty", "noise", "init", "seed", "scale", "iterations", "eta",
            "rho", "gamma", "C", "clip")


def main(folder):
    check_cipher()
    with open(folder / "gradient-cases.csv", "w", newline="") as settings, \
            open(folder / "gradient-values.csv", "w", newline="") as values:
        settings, values = csv.writer(settings, lineterminator="\n"), csv.writer(values, lineterminator="\n")
        settings.writerow(("case",) + SETTINGS)
        values.writerow(("case", "name", "row", "column", "value"))
        for name, case in cases().items():
            settings.writerow([name] + ["NA" if case[k] is None else case[k] for k in SETTINGS])
            arrays = {k: case[k] for k in ("x", "y", "A", "b", "c", "parameter", "weights", "start")}
            arrays.update(run(case))
            for what, array in arrays.items():
                for at, value in np.ndenumerate(np.atleast_2d(array)):
                    values.writerow([name, what, at[0] + 1, at[1] + 1, repr(float(value))])


if __name__ == "__main__":
    here = Path(__file__).resolve().parent.parent / "testthat" / "fixtures"
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else here)
