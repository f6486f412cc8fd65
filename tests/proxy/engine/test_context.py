"""The conversation file: each line read once, whole, whatever happens to the file."""

from stretto.proxy.context import Context


def test_each_line_is_read_once_it_is_whole(tmp_path):
    path = tmp_path / "said.jsonl"
    context = Context(str(path))
    assert context.lines() == []

    with path.open("ab", buffering=0) as file:
        file.write(b'{"role":"user",')
        assert context.lines() == []
        file.write(b'"content":"hi"}\n\n  \n{"half')
        assert context.lines() == [b'{"role":"user","content":"hi"}\n']
        assert context.lines() == []
        file.write(b'":1}\n')

    assert context.lines() == [b'{"half":1}\n']


def test_a_file_that_was_cut_is_read_from_its_start(tmp_path):
    path = tmp_path / "said.jsonl"
    context = Context(str(path))
    path.write_bytes(b"one, and longer\n")
    context.lines()

    path.write_bytes(b"two\n")

    assert context.lines() == [b"two\n"]


def test_another_file_under_its_name_is_read_from_its_start(tmp_path):
    path, new = tmp_path / "said.jsonl", tmp_path / "new.jsonl"
    context = Context(str(path))
    path.write_bytes(b"one\n")
    context.lines()

    new.write_bytes(b"two\nthree\n")
    new.rename(path)

    assert context.lines() == [b"two\n", b"three\n"]


def test_lines_end_at_line_feeds_alone(tmp_path):
    path = tmp_path / "said.jsonl"
    path.write_bytes('{"content":"a\u2028b\u0085c"}\r\n'.encode() + b"x\x0cy\rz\n")

    assert Context(str(path)).lines() == [
        '{"content":"a\u2028b\u0085c"}\r\n'.encode(),
        b"x\x0cy\rz\n",
    ]


def test_a_folder_in_its_place_says_nothing(tmp_path):
    assert Context(str(tmp_path)).lines() == []
