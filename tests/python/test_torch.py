"""Tensors in and out: values of the numpy functions, gradients by differences, layers of networks."""

import doctest
import importlib
import inspect
import re
import subprocess
import sys

import numpy as np
import pytest
import spdml
from conftest import ROOT, random_spd, wanted
from spdml.exceptions import InvalidArgumentError, NotPositiveDefiniteError
from spdml.geometry.base import apply
from spdml.geometry.distance import distance as distance_of_arrays
from spdml.geometry.distance import pairwise_distance as pairwise_of_arrays
from spdml.geometry.mean import mean as mean_of_arrays

torch = wanted("torch", "PyTorch is not installed; its tests are left out")
st = importlib.import_module("spdml.torch")

torch.set_num_threads(1)  # its threads wait by spinning, which a busy machine has no time for
METRICS = ["airm", "stein", "jeffrey", "log-euclidean", "euclidean"]
FUNCTIONS = {"log": st.logm, "exp": st.expm, "sqrt": st.sqrtm, "invsqrt": st.invsqrtm,
             "power": lambda X: st.powm(X, 1.7)}


@pytest.fixture(params=["float64", "float32"])
def kind(request):
    return getattr(torch, request.param)


def tensor(array, dtype=None):
    return torch.tensor(array, dtype=dtype or torch.float64)


def sym(A):
    return (A + A.mT) / 2


def close(got, expected, dtype=torch.float64):
    assert got.dtype == dtype
    tolerance = 1e-10 if dtype == torch.float64 else 1e-5
    np.testing.assert_allclose(got.detach().numpy(), expected, rtol=tolerance,
                               atol=tolerance * np.abs(expected).max())


def test_torch_is_not_imported_unasked():
    code = "import sys, spdml, numpy as np; spdml.logm(np.eye(2)); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "False\n"), done.stderr


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_those_of_arrays(rng, kind, name):
    X = random_spd(rng, 6, 5).reshape(2, 3, 5, 5)
    expected = apply(X, name, 1.7)
    close(FUNCTIONS[name](tensor(X, kind)), expected, kind)
    close(FUNCTIONS[name](tensor(X, kind).requires_grad_()), expected, kind)
    close(FUNCTIONS[name](tensor(X[0, 0], kind)), expected[0, 0], kind)
    turned = tensor(X, kind).permute(1, 0, 3, 2)
    close(FUNCTIONS[name](turned), expected.transpose(1, 0, 2, 3), kind)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("n", [1, 3, 9])
def test_gradients_of_functions(rng, name, n):
    X = tensor(random_spd(rng, 3, n)).requires_grad_()
    assert torch.autograd.gradcheck(lambda A: FUNCTIONS[name](sym(A)), X)


def test_gradients_where_eigenvalues_are_close(rng):
    """Of f(X) at X = c I plus little, where quotients of differences have no digits."""
    H = tensor(random_spd(rng, 1, 4)[0])
    for gap in (0.0, 1e-14, 1e-10, 1e-6):
        X = (2 * torch.eye(4, dtype=torch.float64) + gap * H).requires_grad_()
        st.logm(X).trace().backward()
        close(X.grad, np.linalg.inv(X.detach().numpy()))
        X.grad = None
        (st.sqrtm(X) * H).sum().backward()
        np.testing.assert_allclose(X.grad.numpy(), H.numpy() / (2 * np.sqrt(2.0)), rtol=1e-12 + 2 * gap)


def test_floor(rng):
    values = np.array([2.0, 1.0, 0.3, -1.0])
    Q = np.linalg.qr(rng.standard_normal((3, 4, 4)))[0]
    X = tensor((Q * values) @ Q.transpose(0, 2, 1)).requires_grad_()
    close(st.floor_eigenvalues(X, 0.5), (Q * np.maximum(values, 0.5)) @ Q.transpose(0, 2, 1))
    assert torch.autograd.gradcheck(lambda A: st.floor_eigenvalues(sym(A), 0.5), X)
    assert torch.autograd.gradcheck(lambda A: st.floor_eigenvalues(sym(A), -3.0), X)
    close(st.floor_eigenvalues(X, -3.0), X.detach().numpy())


@pytest.mark.parametrize("shape", [(5, 2), (5, 5), (4, 6)])
def test_bimap(rng, kind, shape):
    X, W = random_spd(rng, 6, shape[0]).reshape(2, 3, shape[0], shape[0]), rng.standard_normal(shape)
    close(st.bimap(tensor(X, kind), tensor(W, kind)), W.T @ X @ W, kind)
    given = tensor(X).requires_grad_(), tensor(W).requires_grad_()
    assert torch.autograd.gradcheck(lambda A, B: st.bimap(sym(A), B), given)
    assert torch.autograd.gradcheck(lambda B: st.bimap(given[0].detach(), B), given[1])


@pytest.mark.parametrize("metric", METRICS)
def test_distances(rng, kind, metric):
    A, B = random_spd(rng, 6, 4).reshape(2, 3, 4, 4), random_spd(rng, 3, 4)
    expected = distance_of_arrays(A, np.stack([B, B]), metric)
    close(st.distance(tensor(A, kind), tensor(B, kind), metric), expected, kind)
    close(st.pairwise_distance(tensor(A[0], kind), tensor(B[:2], kind), metric, True),
          pairwise_of_arrays(A[0], B[:2], metric, squared=True), kind)
    close(st.pairwise_distance(tensor(B, kind), metric=metric), pairwise_of_arrays(B, metric=metric), kind)


@pytest.mark.parametrize("metric", METRICS)
def test_gradients_of_distances(rng, metric):
    A, B = (tensor(random_spd(rng, 3, 4)).requires_grad_() for _ in range(2))
    check = torch.autograd.gradcheck
    assert check(lambda X, Y: st.distance(sym(X), sym(Y), metric), (A, B))
    assert check(lambda X, Y: st.distance(sym(X), sym(Y)[0], metric, squared=True), (A, B))
    assert check(lambda X, Y: st.pairwise_distance(sym(X), sym(Y)[:2], metric), (A, B))
    assert check(lambda X: st.pairwise_distance(sym(X), metric=metric, squared=True), A)


@pytest.mark.parametrize("metric", METRICS)
def test_gradient_at_distance_zero(rng, metric):
    A = tensor(random_spd(rng, 2, 3)).requires_grad_()
    within, = torch.autograd.grad(st.pairwise_distance(A, metric=metric).sum(), A)
    single, = torch.autograd.grad(2 * st.distance(A[0], A[1], metric), A)
    close(within, single.numpy())


@pytest.mark.parametrize("metric", ["airm", "log-euclidean", "euclidean"])
def test_means(rng, kind, metric):
    X, weight = random_spd(rng, 7, 4), rng.uniform(0.5, 2, 7)
    close(st.mean(tensor(X, kind), tensor(weight, kind), metric),
          mean_of_arrays(X, metric, sample_weight=weight), kind)
    close(st.mean(tensor(X, kind), metric=metric), mean_of_arrays(X, metric), kind)
    given = tensor(X).requires_grad_(), tensor(weight).requires_grad_()
    assert torch.autograd.gradcheck(lambda A, w: st.mean(sym(A), w, metric), given)


def test_means_that_spread(rng):
    X = tensor(random_spd(rng, 5, 3, spread=4.0)).requires_grad_()
    assert torch.autograd.gradcheck(lambda A: st.mean(sym(A)), X, eps=1e-7, atol=1e-4, rtol=1e-4)


def test_second_derivatives_are_refused(rng):
    X = tensor(random_spd(rng, 2, 3)).requires_grad_()
    g, = torch.autograd.grad(st.logm(X).square().sum(), X, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        g.sum().backward()


def test_threads_change_nothing(rng):
    X = tensor(random_spd(rng, 200, 8))
    before = torch.get_num_threads()
    grads = []
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            A = X.clone().requires_grad_()
            (st.pairwise_distance(st.sqrtm(A)[:20]).sum() + st.mean(A).sum()).backward()
            grads.append(A.grad)
    finally:
        torch.set_num_threads(before)
    assert torch.equal(*grads)


@pytest.mark.parametrize("call, words", [
    (lambda X: st.logm(X.numpy()), "must be a tensor"),
    (lambda X: st.logm(X.to(torch.int64)), "must be float64 or float32"),
    (lambda X: st.logm(X.to(torch.complex128)), "must be float64 or float32"),
    (lambda X: st.logm(X[:, :2]), "square matrices"),
    (lambda X: st.logm(X[:0]), "square matrices"),
    (lambda X: st.logm(X + torch.ones(3, 3).triu(1)), "not symmetric"),
    (lambda X: st.bimap(X, X), r"W has shape \(4, 3, 3\); it must be \(3, m\)"),
    (lambda X: st.distance(X, X, "wasserstein"), "unknown here"),
    (lambda X: st.pairwise_distance(X[0]), r"\(samples, n, n\)"),
    (lambda X: st.mean(X, torch.ones(2)), "4 weights are needed"),
    (lambda X: st.BiMap(3, 4), "between 1 and 3"),
    (lambda X: st.BiMap(4, 2)(X), "the layer is for 4 x 4"),
])
def test_refusals(rng, call, words):
    with pytest.raises(InvalidArgumentError, match=words):
        call(tensor(random_spd(rng, 4, 3)))


def test_which_matrix_is_not_definite(rng):
    X = random_spd(rng, 6, 3).reshape(2, 3, 3, 3)
    X[1, 0] *= -1
    for given in (tensor(X), tensor(X).requires_grad_()):
        with pytest.raises(NotPositiveDefiniteError, match=r"X\[1, 0\]"):
            st.logm(given)


# ---- layers -----------------------------------------------------------------------------------------

def network(dtype, n=6, m=4):
    return torch.nn.Sequential(st.BiMap(n, m, dtype=dtype), st.ReEig(1e-3), st.BatchNorm(m, dtype=dtype),
                               st.LogEig(), torch.nn.Linear(m * (m + 1) // 2, 2, dtype=dtype))


def test_gradients_of_a_network(rng):
    X = tensor(random_spd(rng, 5, 6))
    net = network(torch.float64).eval()
    names, values = zip(*net.named_parameters())

    def cost(*given):
        return torch.func.functional_call(net, dict(zip(names, given)), X).square().sum()
    assert torch.autograd.gradcheck(cost, [v.detach().requires_grad_() for v in values])


def test_batch_norm(rng):
    X = random_spd(rng, 12, 3)
    layer = st.BatchNorm(3, momentum=0.25, dtype=torch.float64, tol=1e-12)
    with torch.no_grad():
        layer.bias.copy_(tensor(rng.standard_normal((3, 3))))
    G = apply(((layer.bias + layer.bias.mT) / 2).detach().numpy(), "exp")
    close(tensor(mean_of_arrays(layer(tensor(X)).detach().numpy())), G)
    close(layer.running_mean, apply(mean_of_arrays(X), "power", 0.25))
    layer.eval()
    R = apply(layer.running_mean.numpy(), "invsqrt") @ apply(G, "sqrt")
    close(layer(tensor(X)), R.T @ X @ R)
    layer = st.BatchNorm(3, differentiate_mean=True, dtype=torch.float64, tol=1e-13)
    assert torch.autograd.gradcheck(lambda A: layer(sym(A)), tensor(X[:4]).requires_grad_())


def test_log_eig_keeps_lengths(rng):
    X = tensor(random_spd(rng, 4, 5))
    close(st.LogEig()(X).norm(dim=1), st.LogEig(vectors=False)(X).norm(dim=(1, 2)).numpy())


def test_training(rng, kind):
    torch.manual_seed(0)
    y = torch.arange(80) % 2
    tilt = np.eye(6) + 0.4 * rng.standard_normal((2, 6, 6))
    X = tensor(tilt[y] @ random_spd(rng, 80, 6, 0.7) @ tilt[y].transpose(0, 2, 1), kind)
    net = network(kind)
    optimizer = torch.optim.Adam(net.parameters(), 0.02)
    for _ in range(60):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(net(X), y).backward()
        optimizer.step()
    W = net[0].weight.detach()
    close(W.T @ W, np.eye(4), kind)
    assert (net.eval()(X).argmax(1) == y).float().mean() > 0.9
    again = network(kind)
    again.load_state_dict(net.state_dict())
    assert torch.equal(again.eval()(X), net(X))


def test_same_as_spd_learn(rng):
    """Losses of a few steps of a shallow SPDNet, from the same weights."""
    wanted("spd_learn", "spd-learn is not installed; the comparison is left out")
    peer = importlib.import_module("spd_learn.modules")
    torch.manual_seed(0)
    X, y = tensor(random_spd(rng, 40, 6)), torch.arange(40) % 2
    theirs = torch.nn.Sequential(peer.BiMap(6, 4, init_method="orthogonal", dtype=torch.float64), peer.ReEig(1e-4),
                                 peer.SPDBatchNormMean(4, n_iter=30, dtype=torch.float64), peer.LogEig(),
                                 torch.nn.Linear(10, 2, dtype=torch.float64))
    ours = torch.nn.Sequential(st.BiMap(6, 4, dtype=torch.float64), st.ReEig(1e-4),
                               st.BatchNorm(4, dtype=torch.float64, tol=1e-12), st.LogEig(),
                               torch.nn.Linear(10, 2, dtype=torch.float64))
    ours[0].load_state_dict({name: value[0] if value.dim() == 3 else value
                             for name, value in theirs[0].state_dict().items()})
    ours[4].load_state_dict(theirs[4].state_dict())
    losses = []
    for net in (theirs, ours):
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        losses.append([])
        for _ in range(8):
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(net(X), y)
            loss.backward()
            optimizer.step()
            losses[-1].append(loss.item())
    np.testing.assert_allclose(*losses, rtol=1e-6)


# ---- what it says -----------------------------------------------------------------------------------

@pytest.mark.parametrize("name", ["_functions", "_layers"])
def test_examples(name):
    done = doctest.testmod(importlib.import_module(f"spdml.torch.{name}"), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert done.attempted > 0 and done.failed == 0


@pytest.mark.parametrize("name", st.__all__)
def test_every_argument_is_spoken_of(name):
    thing = getattr(st, name)
    text = inspect.getdoc(thing)
    assert "Parameters\n----------" in text and "Examples\n--------" in text
    for argument in inspect.signature(thing).parameters:
        assert any(argument in line.split(" : ")[0].replace(" ", "").split(",")
                   for line in text.splitlines() if " : " in line), argument


def test_program_of_the_page(capsys):
    program, = re.findall(r"```python\n(.*?)```", (ROOT / "docs/torch.md").read_text(), re.S)
    exec(compile(program, "docs/torch.md", "exec"), {})
    assert float(capsys.readouterr().out) > 0.9


# ---- the ways of a GPU, with eigenvalues of the host ---------------------------------------------------

@pytest.mark.parametrize("name, power", [("log", 0.0), ("exp", 0.0), ("sqrt", 0.0), ("invsqrt", 0.0),
                                         ("power", 1.7), ("floor", 1.0)])
def test_products_by_torch(rng, name, power):
    """spdml/torch/_device.py multiplies with PyTorch; on the CPU that is a twin of the library."""
    from spdml.torch import _device, _tensors
    X = random_spd(rng, 4, 6)
    values, V = np.linalg.eigh(X)
    values[:, 1] = values[:, 0] * (1 + 1e-9)
    X, G = tensor((V * values[:, None]) @ V.transpose(0, 2, 1)), tensor(rng.standard_normal((4, 6, 6)))
    x, V = tensor(values), tensor(V)
    F, kept = _tensors.spectrum(X, name, power)
    f = _device.values_of(name, power, x)
    close(_device.rebuild(V, f), F.numpy())
    close(_device.derivative(V, x, f, G, name, power), _tensors.derivative(kept, G, name, power).numpy())


@pytest.mark.parametrize("metric", ["airm", "stein", "jeffrey"])
def test_distances_by_factors(rng, metric):
    from spdml.torch._functions import _of_factors
    A, B = tensor(random_spd(rng, 3, 4)), tensor(random_spd(rng, 3, 4))
    close(_of_factors(A, B, metric), distance_of_arrays(A.numpy(), B.numpy(), metric, squared=True))
