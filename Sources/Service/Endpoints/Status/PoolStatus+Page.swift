internal import DataFiles
internal import FastCGI
internal import JSON
internal import Telemetry

extension PoolStatus {
    /// Returns the page in the form that the query asks for.
    func page(_ query: StatusQuery) -> GatewayResponse {
        let (type, body): (StaticString, [UInt8]) =
            query.isJSON
            ? ("application/json", json(isFull: query.isFull).serialized())
            : ("text/html; charset=utf-8", Array(html(isFull: query.isFull).utf8))
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

    private static func members(_ fields: [Field]) -> [(String, JSONNode)] {
        fields.map { ($0.name, $0.value) }
    }
}
