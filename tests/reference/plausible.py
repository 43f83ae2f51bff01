"""Independent trajectories of PP-ADMM and IPP-ADMM, sound and as printed.

From the published algorithms, the help page ?plausible and the documented random streams
alone; the cipher, the losses, the node solver and the records are those of trajectories.py.
Writes what tests/testthat/test-plausible-trajectories.R compares the package with:

    python3 tests/reference/plausible.py [folder]         (default: tests/testthat/fixtures)

Node problems are solved to rounding here and to 1e-12 there, so inexactness is not what these
trajectories are about; the noise that hides it is made large by a tiny `split`.
"""

import math
import sys
from pathlib import Path

import numpy as np

from trajectories import C, D, EDGES, RHO, SIZES, Node, Stream, key_from_seed, party_key, records, write

OBJECTIVE, OUTPUT, THRESHOLD, QUERY, RELEASE = 0, 1, 2, 3, 6
SEED, ITERATIONS, BETA, DELTA = 11, 8, 1e-12, 1e-4
N = len(SIZES)
NEIGHBOURS = [[b if a == i else a for a, b in EDGES if i in (a, b)] for i in range(N)]


def laplace(stream, scale):
    negative = stream.word() >> 63
    size = -scale * math.log(stream.uniform())
    return -size if negative else size


def sound_noise(case, size, eta, degree):
    """Scales of both noises, and epsilon and sensitivity of the test, from the scale in the
    objective."""
    delta = 2 * C / size  # L = 1, rows of norm at most 1
    modulus = RHO / N + 2 * eta * degree
    split, scale = case["split"], case["scale"]
    odds = (1 - split) / split
    if case["noise"] == "gaussian":
        output = scale / modulus * (2 * BETA / delta) * math.sqrt(odds)
        once = (delta / scale) ** 2 / 2 + (2 * BETA / modulus / output) ** 2 / 2
    else:
        output = scale * delta * split / (1 - split) / (2 * BETA / modulus)
        once = scale * delta + output * 2 * BETA / modulus
    if case["method"] == "pp_admm":
        return scale, output, None, None
    budget = case["max_sends"] * once
    test = budget * case["test_share"] / (1 - case["test_share"])
    if case["noise"] == "gaussian":
        test = math.sqrt(2 * test)
    moved = 2 * case["loss_clip"] / size + (delta + 2 * BETA) / modulus
    return scale, output, test, min(2 * case["loss_clip"], moved)


def printed_noise(case, size, eta, degree):
    """Lines 2 to 12 of Algorithms 1 and 2 and section 5, `Impacts of parameters`, with C as
    the weight of the loss: also lambda-hat."""
    log = math.log(1 / DELTA)
    total = case["epsilon"] ** 2 / (4 * log)
    test, releases, eps_test = 0.0, ITERATIONS, None
    if case["method"] == "ipp_admm":
        test, releases = total * case["test_share"], case["max_sends"]
        eps_test = math.sqrt(2 * test)
    rho1 = (total - test) / releases * (1 - case["split"])
    rho2 = (total - test) / releases * case["split"]
    eps1 = rho1 + 2 * math.sqrt(rho1 * log)
    eps3 = 0.99 * eps1
    lambda_hat = max(RHO, max(2.8 * N * 0.25 * C / ((eps1 - eps3) * b) for b in SIZES))
    scaled_to = eps3 if case["method"] == "pp_admm" else eps1
    sigma1 = C * 2 * math.sqrt(2 * math.log(1.25 / DELTA)) / (size * scaled_to)
    sigma2 = BETA / (math.sqrt(2 * rho2) * (lambda_hat / N + 2 * eta * degree))
    return sigma1, sigma2, eps_test, 2 * case["loss_clip"] if eps_test else None, lambda_hat


def run(case, x, y, node):
    key = key_from_seed(SEED)
    printed = case["noise"] == "printed"
    eta = case["eta"]
    ridge = RHO / N
    scales = []
    for i, size in enumerate(SIZES):
        if printed:
            *found, lambda_hat = printed_noise(case, size, eta, len(NEIGHBOURS[i]))
            ridge = lambda_hat / N
        else:
            found = sound_noise(case, size, eta, len(NEIGHBOURS[i]))
        scales.append(found)
    nodes = [Node(x[node == i], y[node == i], "logistic", C, ridge) for i in range(N)]
    draw = "gamma" if case["noise"] == "gamma" else "gaussian"

    def vector(i, t, purpose, scale):
        return getattr(Stream(party_key(key, i), 0, t, purpose), draw)(scale, D)

    def clipped(i, f):
        value = nodes[i].loss(nodes[i].x @ f, nodes[i].y)[0]
        mean = np.minimum(value, case["loss_clip"]).mean()
        return mean + (ridge / 2 * (f @ f) if printed else 0.0)

    f, dual, sends = np.zeros((N, D)), np.zeros((N, D)), [0] * N
    path, sent = [], []
    for t in range(1, ITERATIONS + 1):
        new, did = f.copy(), [True] * N
        for i in range(N):
            sigma1, sigma2, epsilon, sensitivity = scales[i]
            centres = np.array([(f[i] + f[j]) / 2 for j in NEIGHBOURS[i]])

            def solve(purpose):
                return nodes[i].minimise(2 * dual[i] + vector(i, t, purpose, sigma1), eta, centres, f[i])

            if case["method"] == "ipp_admm":
                most = case["max_sends"]
                did[i] = False
                if sends[i] == most:
                    continue
                candidate = solve(OBJECTIVE)
                eps1 = epsilon / (1 + case["eps_ratio"])
                eps2 = epsilon - eps1
                factor = most if printed else 1
                threshold = laplace(Stream(party_key(key, i), 0, t if printed else 0, THRESHOLD),
                                    factor * sensitivity / eps1)
                query = laplace(Stream(party_key(key, i), 0, t, QUERY), 2 * most * sensitivity / eps2)
                gap = clipped(i, f[i]) - clipped(i, candidate) + query - case["threshold"] - threshold
                assert abs(gap) > 1e-6
                if gap < 0:
                    continue
                did[i] = True
                sends[i] += 1
                solution = candidate if printed else solve(RELEASE)
            else:
                solution = solve(OBJECTIVE)
            new[i] = solution + vector(i, t, OUTPUT, sigma2)
        f = new
        dual = dual + np.array([eta / 2 * sum(f[i] - f[j] for j in NEIGHBOURS[i]) for i in range(N)])
        path.append(f.copy())
        sent.append(did)
    return path, sent


def cases():
    tiny = 1e-20
    test = dict(threshold=0.01, max_sends=3, loss_clip=0.9, eps_ratio=2.5, test_share=0.3)
    for method, more in (("pp_admm", {}), ("ipp_admm", test)):
        for noise, scale, split in (("gaussian", 0.4, tiny), ("gamma", 2.5, 1e-11), ("printed", None, tiny)):
            yield dict(case=f"{method}-{noise}", method=method, noise=noise, scale=scale, eta=0.8, split=split,
                       epsilon=40.0 if noise == "printed" else None, **more)
    # so little noise that the test answers by the loss
    yield dict(case="ipp_admm-clear", method="ipp_admm", noise="gaussian", scale=1e-4, eta=0.8, split=1e-9,
               epsilon=None, threshold=0.004, max_sends=6, loss_clip=0.9, eps_ratio=2.5, test_share=0.999999)


def main(folder):
    rows = records()
    node = np.array([row[0] for row in rows])
    y = np.array([row[1] for row in rows])
    x = np.array([row[3] for row in rows])
    columns = ["case", "method", "noise", "scale", "epsilon", "eta", "split", "threshold", "max_sends",
               "loss_clip", "eps_ratio", "test_share"]
    settings, iterates = [], []
    for case in cases():
        path, sent = run(case, x, y, node)
        if case["method"] == "ipp_admm":
            assert 0 < np.mean(sent) < 1, case["case"]
        settings.append([case.get(name) if case.get(name) is not None else "" for name in columns])
        iterates += [[case["case"], t + 1, i + 1, int(sent[t][i]), *map(float, path[t][i])]
                     for t in range(ITERATIONS) for i in range(N)]
    write(folder / "plausible-cases.csv", columns, settings)
    write(folder / "plausible-iterates.csv",
          ["case", "iteration", "node", "sent"] + [f"f{k + 1}" for k in range(D)], iterates)


if __name__ == "__main__":
    default = Path(__file__).resolve().parent.parent / "testthat" / "fixtures"
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else default)
