import JSON
import Support
import Testing

@Suite("The checker of JSON schemas")
struct JSONSchemaTests {
    private static func errors(_ value: String, _ schema: String) throws -> [String] {
        let limits = JSONLimits(byteCount: 1 << 16, depth: 16)
        let schema = try JSONDocument(parsing: schema.utf8Span.span, limits: limits)
        return JSONSchema(schema.root).errors(
            in: try JSONDocument(parsing: value.utf8Span.span, limits: limits).root
        )
    }

    @Test(
        "accepts good values and refuses bad values for each keyword",
        arguments: [
            ("{ \"type\": \"integer\" }", ["1", "1.0", "-0"], ["1.5", "\"1\"", "true", "null"]),
            ("{ \"type\": [\"string\", \"null\"] }", ["\"\"", "null"], ["0", "[]", "{}"]),
            ("{ \"const\": { \"a\": 1, \"b\": 2 } }", ["{ \"b\": 2, \"a\": 1.0 }"], ["{ \"a\": 1 }", "1"]),
            ("{ \"enum\": [1, \"a\"] }", ["1", "\"a\""], ["2", "\"b\"", "null"]),
            ("{ \"minimum\": 1, \"maximum\": 2 }", ["1", "2", "1.5", "\"x\""], ["0", "3", "2.1"]),
            ("{ \"minLength\": 1, \"maxLength\": 2 }", ["\"ü\"", "\"üü\"", "7"], ["\"\"", "\"abc\""]),
            ("{ \"pattern\": \"^a(?!b)\" }", ["\"ac\"", "1"], ["\"ab\"", "\"ba\""]),
            ("{ \"required\": [\"a\"] }", ["{ \"a\": null }", "1"], ["{}"]),
            (
                "{ \"dependentRequired\": { \"a\": [\"b\"] } }", ["{}", "{ \"a\": 1, \"b\": 1 }"],
                ["{ \"a\": 1 }"]
            ),
            (
                "{ \"minProperties\": 1, \"maxProperties\": 1 }", ["{ \"a\": 1 }"],
                ["{}", "{ \"a\": 1, \"b\": 1 }"]
            ),
            (
                "{ \"properties\": { \"a\": { \"type\": \"null\" } }, \"additionalProperties\": false }",
                ["{ \"a\": null }", "{}"], ["{ \"a\": 1 }", "{ \"b\": null }"]
            ),
            ("{ \"additionalProperties\": { \"type\": \"null\" } }", ["{ \"b\": null }"], ["{ \"b\": 1 }"]),
            ("{ \"propertyNames\": { \"maxLength\": 1 } }", ["{ \"a\": 1 }"], ["{ \"ab\": 1 }"]),
            (
                "{ \"items\": { \"type\": \"null\" }, \"minItems\": 1, \"maxItems\": 2 }", ["[null]", "1"],
                ["[]", "[1]", "[null, null, null]"]
            ),
            ("{ \"uniqueItems\": true }", ["[1, 2]"], ["[1, 1]"]),
            ("{ \"allOf\": [ { \"minimum\": 1 }, { \"maximum\": 1 } ] }", ["1"], ["0", "2"]),
            ("{ \"anyOf\": [ { \"const\": 1 }, { \"minimum\": 1 } ] }", ["1", "2"], ["0"]),
            ("{ \"oneOf\": [ { \"const\": 1 }, { \"minimum\": 1 } ] }", ["2"], ["0", "1"]),
            ("{ \"not\": { \"const\": 1 } }", ["2"], ["1"]),
            (
                "{ \"if\": { \"type\": \"string\" }, \"then\": { \"const\": \"a\" }, \"else\": { \"const\": 1 } }",
                ["\"a\"", "1"], ["\"b\"", "2"]
            ),
            (
                "{ \"$ref\": \"#/$defs/x\", \"maximum\": 1, \"$defs\": { \"x\": { \"minimum\": 1 } } }",
                ["1"], ["0", "2"]
            ),
            ("{ \"properties\": { \"a\": false } }", ["{}"], ["{ \"a\": 1 }"]),
            // The checker reports keywords and references that it does not know.
            ("{ \"multipleOf\": 2 }", [], ["2", "{}", "[]"]),
            ("{ \"$ref\": \"other.json\" }", [], ["1"]),
        ]
    )
    func rows(row: (schema: String, good: [String], bad: [String])) throws {
        for value in row.good { #expect(try Self.errors(value, row.schema) == [], "\(value)") }
        for value in row.bad { #expect(try Self.errors(value, row.schema) != [], "\(value)") }
    }
}
