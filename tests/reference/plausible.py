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

from streams import PURPOSE_OBJECTIVE as OBJECTIVE
from streams import PURPOSE_OUTPUT as OUTPUT
from streams import PURPOSE_QUERY as QUERY
from streams import PURPOSE_RELEASE as RELEASE
from streams import PURPOSE_THRESHOLD as THRESHOLD
from streams import Stream, key_from_seed, party_key, release
from trajectories import C, D, EDGES, RHO, SIZES, Node, records, write

SEED, ITERATIONS, BETA, DELTA = 11, 8, 5e-10, 1e-4
N = len(SIZES)
NEIGHBOURS = [[b if a == i else a for a, b in EDGES if i in (a, b)] for i in range(N)]


def modulus_of(case, i):
    return RHO / N + 2 * case["eta"] * len(NEIGHBOURS[i])


def longest(case, scale):
    """The norm that noise exceeds with probability exp(-145) at most."""
    if case["noise"] == "gaussian":
        return 1.01 * (math.sqrt(D) + math.sqrt(290)) * scale
    return 1.01 * (D + math.sqrt(290 * D) + 145) / scale


def far(case, scale):
    """How far noise carries a model: twice its length, and five times its random walk."""
    sd = scale if case["noise"] == "gaussian" else math.sqrt(D + 1) / scale
    return 2 * longest(case, scale) + 5 * math.sqrt(ITERATIONS * D) * sd


def reach_of(case, outputs):
    """Of the node that goes farthest: the others follow it. `outputs`: the results' noise."""
    steps = (10 + ITERATIONS / 2) * C + far(case, case["scale"]) + BETA
    return max(steps / modulus_of(case, i) + far(case, outputs[i]) for i in range(N))


def rounding(case, size, modulus, output, reach):
    """What the program's minimiser may be off by beyond BETA, in units of the gradient (vignette
    "privacy-accounting", "The program, to the last bit"); L = 1, L'' = 1/4, rows of norm 1."""
    u, scale, gaussian = 2.0**-53, case["scale"], case["noise"] == "gaussian"
    most = longest(case, scale)
    drawn = 2.0**-41 * math.sqrt(D) * scale if gaussian else (1.5 * D + 40) * u * most

    def summed(n, bound):
        return 1.01 * (n + 16) * u * bound

    solver = (C / 4 * 5 * (D + 6) * u * reach + C * (4 + 1 / 4) * u
              + summed(size + size / 16384, C) + 2 * summed(size, C / 4))
    added = 16 * u * (C + 2.2 * modulus * reach + most) + (D + 4) * u * BETA
    sent = math.sqrt(D) / 2 * 2.0**-40 * (output if gaussian else 1 / output)
    return solver + added + drawn + modulus * sent


def query_rounding(case, size, sizes, reach):
    """The same of a query of the test, whose noise has these two sizes."""
    u = 2.0**-53
    grid = max(2.0**-40 * min(sizes), 2.0**-50 * max(sizes), 2.0**-58 * case["threshold"])
    summed = 1.01 * (size + 16) * u * case["loss_clip"]
    return 16 * (D + 6) * u * reach + 2 * summed + 32 * u * (case["loss_clip"] + 1) + 2 * grid


def test_sizes(case, epsilon, sensitivity):
    first = epsilon / (1 + case["eps_ratio"])
    return sensitivity / first, 2 * case["max_sends"] * sensitivity / (epsilon - first)


def slops(case):
    """Set aside for rounding by every node, of its minimiser and of its queries: doubled where
    that does not do."""
    test = case["method"] == "ipp_admm"
    slop = [(0.005 if case["noise"] == "gaussian" else 1e-4) * BETA] * N
    query = [0.0] * N
    while True:
        found = [sound_noise(case, size, case["eta"], len(NEIGHBOURS[i]), slop[i], query[i])
                 for i, size in enumerate(SIZES)]
        reach = reach_of(case, [noise[1] for noise in found])
        needed, asked = [], []
        for i, size in enumerate(SIZES):
            needed.append(rounding(case, size, modulus_of(case, i), found[i][1], reach))
            asked.append(query_rounding(case, size, test_sizes(case, *found[i][2:]), reach)
                         if test else 0.0)
        if all(a <= b for a, b in zip(needed + asked, slop + query)):
            return slop, query
        slop = [max(b, 2 * a) for a, b in zip(needed, slop)]
        query = [max(b, 2 * a) for a, b in zip(asked, query)]


def sound_noise(case, size, eta, degree, slop, query):
    """Scales of both noises, and epsilon and sensitivity of the test, from the scale in the
    objective."""
    delta = 2 * C / size  # L = 1, rows of norm at most 1
    modulus = RHO / N + 2 * eta * degree
    split, scale = case["split"], case["scale"]
    odds = (1 - split) / split
    hidden = 2 * (BETA + slop)
    if case["noise"] == "gaussian":
        output = scale / modulus * (hidden / delta) * math.sqrt(odds)
        once = (delta / scale) ** 2 / 2 + (hidden / modulus / output) ** 2 / 2
    else:
        output = scale * delta * split / (1 - split) / (hidden / modulus)
        once = scale * delta + output * hidden / modulus
    if case["method"] == "pp_admm":
        return scale, output, None, None
    budget = case["max_sends"] * once
    test = budget * case["test_share"] / (1 - case["test_share"])
    if case["noise"] == "gaussian":
        test = math.sqrt(2 * test)
    moved = 2 * case["loss_clip"] / size + (delta + hidden) / modulus
    return scale, output, test, min(2 * case["loss_clip"], moved) + 2 * query


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
    scales, aside = [], None if printed else slops(case)
    for i, size in enumerate(SIZES):
        if printed:
            *found, lambda_hat = printed_noise(case, size, eta, len(NEIGHBOURS[i]))
            ridge = lambda_hat / N
        else:
            found = sound_noise(case, size, eta, len(NEIGHBOURS[i]), aside[0][i], aside[1][i])
        scales.append(found)
    nodes = [Node(x[node == i], y[node == i], "logistic", C, ridge) for i in range(N)]
    draw = "gamma" if case["noise"] == "gamma" else "gaussian"

    def vector(i, t, purpose, scale):
        return getattr(Stream(party_key(key, i), 0, t, purpose), draw)(scale, D)

    def as_sent(i, t, scale, value):
        return release(Stream(party_key(key, i), 0, t, OUTPUT), draw, scale, value)

    def steps(i, t, purpose, scale, grid):
        return Stream(party_key(key, i), 0, t, purpose).discrete_laplace(math.ceil(scale / grid))

    def clipped(i, f):
        value = nodes[i].loss(nodes[i].x @ f, nodes[i].y)[0]
        mean = np.minimum(value, case["loss_clip"]).mean()
        return mean + (ridge / (2 * C) * (f @ f) if printed else 0.0)  # C weighs the loss

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
                first = (most if printed else 1) * sensitivity / eps1
                second = 2 * most * sensitivity / eps2
                grid = 2.0 ** (math.frexp(min(first, second))[1] - 41)
                assert max(first, second) / grid < 2**50
                threshold = round(case["threshold"] / grid)
                threshold += steps(i, t if printed else 0, THRESHOLD, first, grid)
                query = round((clipped(i, f[i]) - clipped(i, candidate)) / grid)
                gap = query + steps(i, t, QUERY, second, grid) - threshold
                assert abs(gap) * grid > 1e-6
                if gap < 0:
                    continue
                did[i] = True
                sends[i] += 1
                solution = candidate if printed else solve(RELEASE)
            else:
                solution = solve(OBJECTIVE)
            new[i] = as_sent(i, t, sigma2, solution)
        f = new
        dual = dual + np.array([eta / 2 * sum(f[i] - f[j] for j in NEIGHBOURS[i]) for i in range(N)])
        path.append(f.copy())
        sent.append(did)
    return path, sent


def cases():
    tiny = 1e-20
    test = dict(threshold=0.01, max_sends=3, loss_clip=0.9, eps_ratio=2.5, test_share=0.3)
    for method, more in (("pp_admm", {}), ("ipp_admm", test)):
        for noise, scale, split in (("gaussian", 0.4, tiny), ("gamma", 2.5, 1e-9), ("printed", None, tiny)):
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
