"""What servers have been seen to say that proxies lost, changed or died of."""

CASES = {
    "a banner": b"Server running on stdio\n",
    "a blank line": b"\n",
    "a line of blanks": b"  \t \n",
    "a Windows line end": b'{"jsonrpc":"2.0","id":1,"result":{}}\r\n',
    "headers of another protocol": b'Content-Length: 17\r\n\r\n{"jsonrpc":"2.0"}\n',
    "JSON over several lines": b'{\n  "jsonrpc": "2.0",\n  "id": 1\n}\n',
    "other line separators": '{"t":"a\u2028b\u2029c\x85d"}\n'.encode(),
    "a code page": b'{"text":"caf\xe9 \x96 \x80"}\n',
    "UTF-16": '{"id":1}'.encode("utf-16") + b"\n",
    "a byte order mark": b'\xef\xbb\xbf{"id":1}\n',
    "null bytes": b'\0\0{"id":1}\0\n',
    "half a surrogate pair": b'{"id":1,"result":{"t":"\\ud83d"}}\n',
    "no JSON numbers": b'{"id":1,"result":[NaN,Infinity,1e400]}\n',
    "numbers beyond a float": b'{"n":' + b"9" * 5_000 + b"}\n",
    "deep nesting": b'{"id":1,"result":' + b"[" * 5_000 + b"]" * 5_000 + b"}\n",
    "an id that is a fraction": b'{"jsonrpc":"2.0","id":2.5,"result":{}}\n',
    "an id that is true": b'{"jsonrpc":"2.0","id":true,"result":{}}\n',
    "both a result and an error": b'{"id":1,"result":{},"error":null,"x":1}\n',
    "a duplicate answer": b'{"id":1,"result":{}}\n{"id":1,"result":{"late":true}}\n',
    "an answer nobody asked for": b'{"id":"nobody","result":{}}\n',
    "keys that repeat": b'{"id":1,"id":2,"result":{"a":1,"a":2}}\n',
    "spelling that parsers change": b'{"id": 1e2, "v":1.0, "s":"\\u00e9\\/"}\n',
    "an unknown content block": b'{"id":1,"result":{"content":[{"type":"x-v"}]}}\n',
    "a vendor's method": b'{"jsonrpc":"2.0","id":7,"method":"acme/do","params":[1]}\n',
    "a vendor's notification": b'{"jsonrpc":"2.0","method":"notifications/acme"}\n',
    "changed tools": b'{"method":"notifications/tools/list_changed"}\n',
    "progress after the answer": (
        b'{"id":1,"result":{}}\n'
        b'{"method":"notifications/progress","params":{"progressToken":1}}\n'
    ),
    "a batch": b'[{"id":1,"result":{}},{"method":"x"},3]\n',
    "two values on a line": b'{"id":1} {"id":2}\n',
    "a forged field": b'1,"raw":"x"\n',
    "a value that is no message": b'17\n"text"\nnull\n',
    "a line longer than 64 KiB": b'{"t":"' + b"y" * 100_000 + b'"}\n',
}
