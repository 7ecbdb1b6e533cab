internal import DataFiles
internal import JSON

/// Reads `segments` and orders them so that each refers only to earlier ones.
struct SegmentsReader {
    private let members: [(name: String, value: SourceValue)]
    /// The names of the segments in the order of the model.
    private let order: [String]
    /// The place of each segment in the model.
    let places: [String: Int]

    /// Orders the segments by their references, and reports circles.
    init(_ value: SourceValue?) {
        let members = value?.namedMembers(limit: DataFileLimits.segmentCount) ?? []
        for (name, value) in members { _ = value.checkName(name, isKey: true) }
        self.members = members
        guard members.count <= DataFileLimits.segmentCount else {
            // The names stay known, so that references to them are not reported. So many segments are not ordered.
            order = members.map(\.name)
            places = Dictionary(order.enumerated().map { ($1, $0) }) { first, _ in first }
            return
        }
        var references: [String: [String]] = [:]
        for (name, value) in members { references[name] = Self.references(in: value.value, depth: 0) }
        var sorting = Sorting(references: references)
        for (name, _) in members {
            guard let circle = sorting.visit(name) else { continue }
            let way = circle.joined(separator: " -> ")
            let first = members.first { $0.name == circle.first }
            first?.value.reportKey(.segmentCycle, "segments go round in a circle: \(way)")
        }
        order = sorting.order
        places = Dictionary(uniqueKeysWithValues: sorting.order.enumerated().map { ($1, $0) })
    }

    func read(_ conditions: ConditionReader) -> [RulesModel.Segment] {
        let read = members.compactMap { name, value in
            conditions.read(value).map { RulesModel.Segment(name: name, condition: $0) }
        }
        return read.sorted { places[$0.name] ?? 0 < places[$1.name] ?? 0 }
    }

    /// Returns the names of the segments that a condition refers to. A value that is not a condition gives an empty list.
    private static func references(in value: JSONValue, depth: Int) -> [String] {
        guard depth <= RulesSourceLimits.jsonDepth else { return [] }
        func member(_ operation: ConditionOperation) -> JSONValue? { value.member(named: operation.word) }
        if let name = member(.segment)?.string { return [name] }
        let groups = [member(.all), member(.any)].compactMap { $0 }
        let children = groups.flatMap(\.elements) + [member(.not)].compactMap { $0 }
        return children.flatMap { references(in: $0, depth: depth + 1) }
    }
}

/// Sorts names so that each follows those that it refers to. Otherwise keeps the order of the visits.
private struct Sorting {
    let references: [String: [String]]
    private(set) var order: [String] = []
    private var way: [String] = []
    private var seen: Set<String> = []

    init(references: [String: [String]]) {
        self.references = references
    }

    /// Visits a name and all names that it refers to. Returns the first circle that is found on the way.
    mutating func visit(_ name: String) -> [String]? {
        if let begin = way.firstIndex(of: name) { return way[begin...] + [name] }
        guard let next = references[name], seen.insert(name).inserted else { return nil }
        way.append(name)
        var circle: [String]?
        for reference in next {
            let found = visit(reference)
            circle = circle ?? found
        }
        way.removeLast()
        order.append(name)
        return circle
    }
}
