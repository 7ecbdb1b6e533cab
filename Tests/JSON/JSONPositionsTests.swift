import JSON
import Testing

@Suite("Positions in an accepted JSON text")
struct JSONPositionsTests {
    static let text = """
        {
          "apps": [ {"bundleId": "a"},
                    {"é\\u00e9\\ud83d\\ude00\\n": 1, "last" : [[], {}, "x,]}", -1.5e3]} ],
          "limits": {}
        }
        """

    static let rows: [(JSONPath, value: (Int, Int)?, key: (Int, Int)?)] = [
        ([], (1, 1), nil),
        ([.member("apps")], (2, 11), (2, 3)),
        ([.member("apps"), .index(0)], (2, 13), nil),
        ([.member("apps"), .index(0), .member("bundleId")], (2, 26), (2, 14)),
        ([.member("apps"), .index(1), .member("éé😀\n")], (3, 39), (3, 14)),
        ([.member("apps"), .index(1), .member("last")], (3, 51), (3, 42)),
        ([.member("apps"), .index(1), .member("last"), .index(3)], (3, 68), nil),
        ([.member("limits")], (4, 13), (4, 3)),
        ([.member("none")], nil, nil),
        ([.member("limits"), .member("none")], nil, nil),
        ([.member("apps"), .index(2)], nil, nil),
        ([.member("apps"), .index(-1)], nil, nil),
        ([.member("apps"), .index(1), .member("last"), .index(0), .index(0)], nil, nil),
        ([.member("apps"), .member("last")], nil, nil),
        ([.index(0)], nil, nil),
    ]

    @Test("are found by path", arguments: rows.indices)
    func find(_ row: Int) throws {
        _ = try parse(Self.text)
        let (path, value, key) = Self.rows[row]
        let positions = JSONPositions(source: Array(Self.text.utf8))
        #expect(positions.value(at: path).map { [$0.line, $0.column] } == value.map { [$0.0, $0.1] })
        #expect(positions.key(at: path).map { [$0.line, $0.column] } == key.map { [$0.0, $0.1] })
    }

    @Test("are nil in a broken text, and are never searched outside the text")
    func garbage() {
        let texts = [
            "", "{", "{\"", "{\"a", "{\"a\"", "{\"a\":", "[", "[1,", "{\"\\", "{\"\\u", "{\"\\ud800\\",
            "{\"\\ud800\\u",
        ]
        for text in texts {
            let positions = JSONPositions(source: Array(text.utf8))
            #expect(positions.value(at: [.member("a"), .index(1)]) == nil)
            #expect(positions.key(at: [.member("b")]) == nil)
        }
    }

    @Test("are clamped to the text")
    func clamping() {
        let text = Array("a\nb".utf8)
        #expect(
            JSONPosition(byteOffset: 99, in: text.span) == JSONPosition(line: 2, column: 2, byteOffset: 3)
        )
        #expect(JSONPosition(byteOffset: -1, in: text.span).byteOffset == 0)
    }

    @Test(
        "have paths that are written like `apps[0].bundleId`",
        arguments: [
            ([], ""), ([.member("a")], "a"),
            ([.member("apps"), .index(0), .member("bundleId")], "apps[0].bundleId"),
            ([.index(3), .index(1)], "[3][1]"),
        ] as [(JSONPath, String)]
    )
    func text(path: JSONPath, expected: String) {
        #expect(path.text == expected)
    }
}
