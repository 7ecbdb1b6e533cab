internal import DataFiles
internal import FastCGI
internal import JSON
internal import Telemetry
internal import Vocabulary

extension PoolStatus {
    /// Returns the page in the form that the query asks for.
    func page(_ query: StatusQuery) -> GatewayResponse {
        let (type, body): (StaticString, [UInt8]) =
            switch query.form {
            case .text: ("text/plain", Array(text(isFull: query.isFull).utf8))
            case .json: ("application/json", json(isFull: query.isFull).serialized())
            case .html: ("text/html; charset=utf-8", Array(html(isFull: query.isFull).utf8))
            case .absent: ("text/plain", [])
            }
        return GatewayResponse(status: 200, contentType: type, body: body)
    }

    private func json(isFull: Bool) -> JSONNode {
        func list(_ kind: DataFileKind) -> JSONNode {
            .array(
                files.filter { $0.kind == kind }.map { file in
                    .object(
                        Self.members(file.fields) + (kind == .rules ? [("rules", Self.node(file.rules))] : [])
                    )
                }
            )
        }
        var members = Self.members(pool)
        members.append(("request durations", durationsNode))
        members += [("rules", list(.rules)), ("facts", list(.facts))]
        if isFull { members.append(("processes", .array(processes.map { .object(Self.members($0)) }))) }
        return .object(members)
    }

    private static func node(_ rules: [RuleCount]) -> JSONNode {
        .array(
            rules.map { rule in
                .object([
                    ("rule", .string(rule.rule)), ("served", .integer(Int64(clamping: rule.served))),
                    ("passed over", .integer(Int64(clamping: rule.passedOver))),
                ])
            }
        )
    }

    private var durationsNode: JSONNode {
        let edges = LatencyHistogram.edgesMicroseconds.map { JSONNode.integer(Int64($0)) } + [.null]
        let buckets = zip(edges, durations.cumulativeCounts).map { edge, count in
            JSONNode.object([("microseconds", edge), ("requests", .integer(Int64(clamping: count)))])
        }
        return .object([
            ("requests", .integer(Int64(clamping: durations.count))),
            ("microseconds", .integer(Int64(clamping: durations.sumNanoseconds / 1000))),
            ("within", .array(buckets)),
        ])
    }

    /// Returns the page in php-fpm's text layout: names, then values from column 23 on, and a line of stars before each
    /// process.
    private func text(isFull: Bool) -> String {
        var lines = pool.map { Self.line($0.name, StatusText.shown($0)) }
        lines += durationRows.map { Self.line($0.name, $0.value) }
        for (kind, fields, rules) in files {
            let text = fields.map { "\($0.name) \(StatusText.shown($0))" }.joined(separator: ", ")
            lines.append(Self.line(kind.name, text))
            lines += rules.map { rule in
                let name = DisplayText.escaped(rule.rule)
                return Self.line("rule", "\(name), served \(rule.served), passed over \(rule.passedOver)")
            }
        }
        for process in isFull ? processes : [] {
            lines += ["", "************************"]
            // php-fpm writes this name with capitals in text and with small letters in JSON.
            lines += process.map {
                Self.line($0.name == "request uri" ? "request URI" : $0.name, StatusText.shown($0))
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private var durationRows: [(name: String, value: String)] {
        let names =
            LatencyHistogram.edgesMicroseconds.map { "requests within \(Self.milliseconds($0)) ms" } + [
                "requests in all"
            ]
        return zip(names, durations.cumulativeCounts).map { ($0, String($1)) }
    }

    private static func members(_ fields: [Field]) -> [(String, JSONNode)] {
        fields.map { ($0.name, $0.value) }
    }

    private static func line(_ name: String, _ value: String) -> String {
        "\(name): " + String(repeating: " ", count: max(0, 20 - name.utf8.count)) + value
    }
}
