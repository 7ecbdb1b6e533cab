internal import JSON
internal import Vocabulary

/// One object of the configuration while it is read: each key is asked for once, with what it may hold, and
/// ``finish()`` reports the keys nobody asked for. A value that is wrong is reported and leaves the default.
final class ConfigurationObject {
    let reader: ConfigurationReader
    let path: JSONPath
    private let value: JSONValue
    private var keys: [String] = []

    /// Reports `value` unless it is an object.
    init?(_ value: JSONValue, at path: JSONPath, reader: ConfigurationReader) {
        guard value.kind == .object else {
            reader.report(.wrongType, at: path, "must be an object")
            return nil
        }
        self.reader = reader
        self.path = path
        self.value = value
    }

    /// The value of a key that is known from now on; nil when it is absent.
    func take(_ key: String, isRequired: Bool = false) -> (value: JSONValue, path: JSONPath)? {
        let place = path + [.member(key)]
        keys.append(key)
        reader.knows(place)
        guard let found = value.member(named: key) else {
            if isRequired { reader.report(.missingKey, at: path, "\"\(key)\" is missing") }
            return nil
        }
        return (found, place)
    }

    /// Whether the key is in the text.
    func has(_ key: String) -> Bool { value.member(named: key) != nil }

    func integer<Number: FixedWidthInteger>(
        _ key: String,
        into target: inout Number,
        _ range: ClosedRange<Number>,
        isRequired: Bool = false
    ) {
        guard let found = take(key, isRequired: isRequired) else { return }
        guard let number = found.value.int64 else {
            return reader.report(.wrongType, at: found.path, "must be a whole number")
        }
        guard let number = Number(exactly: number), range.contains(number) else {
            let bounds = "must be from \(range.lowerBound) to \(range.upperBound)"
            return reader.report(.outOfRange, at: found.path, bounds)
        }
        target = number
    }

    func boolean(_ key: String, into target: inout Bool) {
        guard let found = take(key) else { return }
        guard let value = found.value.boolean else {
            return reader.report(.wrongType, at: found.path, "must be true or false")
        }
        target = value
    }

    func text(_ key: String, _ form: ConfigurationText, isRequired: Bool = false) -> String? {
        take(key, isRequired: isRequired).flatMap { text($0.value, at: $0.path, form) }
    }

    func text(_ key: String, into target: inout String, _ form: ConfigurationText) {
        if let value = text(key, form) { target = value }
    }

    /// One of a few words; `later` are those that a later version will know.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ key: String,
        into target: inout Choice,
        later: [String] = []
    ) {
        guard let found = take(key) else { return }
        guard let word = found.value.string else {
            return reader.report(.wrongType, at: found.path, "must be a string")
        }
        if let choice = Choice(rawValue: word) {
            target = choice
        } else if later.contains(word) {
            reader.report(.notSupported, at: found.path, "\"\(word)\" is not supported yet")
        } else {
            let words = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            reader.report(.invalidValue, at: found.path, "must be one of \(words)")
        }
    }

    /// A list of files, each once; an empty one is refused because it could mean "none" or "the default".
    func paths(_ key: String, into target: inout [String]) {
        guard let found = take(key) else { return }
        target = list(found, limit: ConfigurationLimits.listCount).compactMap { element in
            text(element.value, at: element.path, .absolutePath)
        }
        refuseDuplicates(target, at: found.path)
    }

    func object(_ key: String, _ body: (ConfigurationObject) -> Void) {
        guard let found = take(key),
            let object = ConfigurationObject(found.value, at: found.path, reader: reader)
        else { return }
        body(object)
        object.finish()
    }

    func objects(
        _ key: String,
        limit: Int,
        isRequired: Bool = false,
        _ body: (ConfigurationObject) -> Void
    ) {
        guard let found = take(key, isRequired: isRequired) else { return }
        for element in list(found, limit: limit) {
            guard let object = ConfigurationObject(element.value, at: element.path, reader: reader) else {
                continue
            }
            body(object)
            object.finish()
        }
    }

    /// The elements of a list with 1 to `limit` of them.
    func list(_ found: (value: JSONValue, path: JSONPath), limit: Int) -> [(value: JSONValue, path: JSONPath)]
    {
        guard found.value.kind == .array else {
            reader.report(.wrongType, at: found.path, "must be a list")
            return []
        }
        guard (1...limit).contains(found.value.count) else {
            reader.report(.outOfRange, at: found.path, "must have from 1 to \(limit) entries")
            return []
        }
        return found.value.elements.enumerated().map { ($1, found.path + [.index($0)]) }
    }

    func refuseDuplicates(_ words: [String], at path: JSONPath) {
        for (index, word) in words.enumerated() where words[..<index].contains(word) {
            return reader.report(.duplicateValue, at: path, "has \"\(word)\" twice")
        }
    }

    /// A key that a later version will know.
    func later(_ key: String, _ reason: String) {
        guard value.member(named: key) != nil else { return }
        keys.append(key)
        reader.report(.notSupported, at: path + [.member(key)], reason, isKey: true)
    }

    /// Reports every key that was not asked for.
    func finish() {
        for member in value.members where !keys.contains(member.name) {
            if reader.isFull { return }
            let hint =
                Spelling.nearest(to: member.name, among: keys).map { ", did you mean \"\($0)\"?" } ?? ""
            reader.report(.unknownKey, at: path + [.member(member.name)], "unknown key\(hint)", isKey: true)
        }
    }

    private func text(_ value: JSONValue, at path: JSONPath, _ form: ConfigurationText) -> String? {
        guard let text = value.string else {
            reader.report(.wrongType, at: path, "must be a string")
            return nil
        }
        guard form.accepts(text) else {
            reader.report(.invalidValue, at: path, "must be \(form.expected)")
            return nil
        }
        return text
    }
}
