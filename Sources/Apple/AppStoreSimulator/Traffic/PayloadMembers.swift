internal import JSON

/// The members of a payload as JSON text, in the order in which they are written. A test can make any of them wrong.
package struct PayloadMembers: Sendable, Hashable, Codable {
    private struct Member: Sendable, Hashable, Codable {
        var name: String
        var json: String
    }

    private var members: [Member] = []

    package init() {}

    /// Writes a string. Replaces the member of that name in its place, or adds it; nil removes it.
    package mutating func set(_ name: String, text: String?) {
        set(name, json: text.map { Self.text(.string($0)) })
    }

    /// Writes a whole number, as ``set(_:text:)`` writes a string.
    package mutating func set(_ name: String, number: Int64?) {
        set(name, json: number.map { String($0) })
    }

    /// Writes `true` or `false`, as ``set(_:text:)`` writes a string.
    package mutating func set(_ name: String, boolean: Bool?) {
        set(name, json: boolean.map { $0 ? "true" : "false" })
    }

    /// Writes an array of strings, as ``set(_:text:)`` writes a string.
    package mutating func set(_ name: String, texts: [String]?) {
        set(name, json: texts.map { Self.text(.array($0.map { .string($0) })) })
    }

    /// Writes an object, as ``set(_:text:)`` writes a string.
    package mutating func set(_ name: String, members: PayloadMembers?) {
        set(name, json: members.map { String(decoding: $0.json, as: UTF8.self) })
    }

    /// Writes any JSON text, as ``set(_:text:)`` writes a string.
    package mutating func set(_ name: String, json: String?) {
        let index = members.firstIndex { $0.name == name }
        switch (index, json) {
        case (let index?, let json?): members[index].json = json
        case (let index?, nil): members.remove(at: index)
        case (nil, let json?): members.append(Member(name: name, json: json))
        case (nil, nil): break
        }
    }

    /// Adds a member at the end, also when a member of that name is there.
    package mutating func append(_ name: String, json: String) {
        members.append(Member(name: name, json: json))
    }

    /// Returns the JSON text of a member; nil when there is none of that name.
    package func member(_ name: String) -> String? {
        members.first { $0.name == name }?.json
    }

    /// The names, in order.
    package var names: [String] { members.map(\.name) }

    /// Returns a copy with `change` applied.
    package func with(_ change: (inout PayloadMembers) -> Void) -> PayloadMembers {
        var copy = self
        change(&copy)
        return copy
    }

    /// The JSON text of the object.
    package var json: [UInt8] {
        let texts = members.map { "\(Self.text(.string($0.name))):\($0.json)" }
        return Array("{\(texts.joined(separator: ","))}".utf8)
    }

    private static func text(_ node: JSONNode) -> String {
        String(decoding: node.serialized(), as: UTF8.self)
    }
}
