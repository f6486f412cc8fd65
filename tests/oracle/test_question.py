"""A request's bytes and its key are the published ones."""

from stretto.oracle.question import Choice, Criteria, Noul, Request, Score

BYTES = (
    '{"model":"example-1","state":{"Beta":1.8446744073709552e19,"alpha":{"a":"tab\\t'
    '\\"q\\" \\\\ / unit\\u001f","b":{"x":true,"y":null},"name":"Zoë → 東京"},"zeta":['
    '3,1.5,0.00001,1e-6,1e16,2.0,-0.0]},"questions":{"go":{"type":"noul","instructions":'
    '"Go on?","criteria":{"true":"Yes.","false":"No."}},"next":{"type":"choice",'
    '"instructions":"Which?","criteria":{"Get_a":"Read a.","get_b":"Read b.","respond":'
    '"Reply."}}}}'
)

REQUEST = Request(
    "example-1",
    {
        "zeta": [3, 1.50, 0.00001, 0.000001, 1e16, 2.0, -0.0],
        "alpha": {
            "name": "Zoë → 東京",
            "b": {"y": None, "x": True},
            "a": 'tab\t"q" \\ / unit\x1f',
        },
        "Beta": 18446744073709551616,
    },
    {
        "next": Choice(
            "Which?", {"respond": "Reply.", "get_b": "Read b.", "Get_a": "Read a."}
        ),
        "go": Noul("Go on?", Criteria("Yes.", "No.")),
    },
)


def test_the_first_vector_has_its_bytes_and_its_key() -> None:
    assert REQUEST.data == BYTES.encode()
    assert len(REQUEST.data) == 411
    assert REQUEST.key == (
        "533d0b047be9259bac4f710c6e7d4c95c06e962224c71281b3dd0b93ee53e5fe"
    )


def test_the_second_vector_has_its_bytes_and_its_key() -> None:
    request = Request(
        "example-1",
        {"a": {}, "b": []},
        {"s": Score("How far?", ("none", "some", "all")), "n": Noul("Done?")},
    )

    assert request.data == (
        b'{"model":"example-1","state":{"a":{},"b":[]},"questions":{"n":{"type":"noul",'
        b'"instructions":"Done?"},"s":{"type":"score","instructions":"How far?",'
        b'"criteria":["none","some","all"]}}}'
    )
    assert request.key == (
        "ff4ab47ff7885313d3bf5dcc1f6fba9df9533c08a71d95e7eaeed57d96d4f609"
    )


def test_half_a_surrogate_pair_still_has_a_key() -> None:
    request = Request("m", {"said": "\ud800"}, {"n": Noul("Done?")})

    assert b'"said":"?"' in request.data
    assert len(request.key) == 64
