internal import JSON
internal import Vocabulary

/// One object of the configuration while it is read: each key is asked for once, with what it may hold, and
/// ``finish()`` reports the keys nobody asked for. A value that is wrong is reported and leaves the default.
final class ConfigurationObject {
    let source: SourceValue
    private let known: KnownKeys
    private var keys: [String] = []

    /// Reports `source` unless it is an object.
    init?(_ source: SourceValue, _ known: KnownKeys) {
        guard source.isObject else { return nil }
        self.source = source
        self.known = known
    }

    /// The value of a key that is known from now on; nil when it is absent.
    func take(_ key: String, isRequired: Bool = false) -> SourceValue? {
        keys.append(key)
        known.insert(source.path + [.member(key)])
        return isRequired ? source.required(key) : source.member(key)
    }

    /// Whether the key is in the text.
    func has(_ key: String) -> Bool { source.member(key) != nil }

    func integer<Number: FixedWidthInteger>(
        _ key: String,
        into target: inout Number,
        _ range: ClosedRange<Number>,
        isRequired: Bool = false
    ) {
        guard let found = take(key, isRequired: isRequired), let number = found.integer else { return }
        guard let number = Number(exactly: number), range.contains(number) else {
            return found.report(.outOfRange, "must be from \(range.lowerBound) to \(range.upperBound)")
        }
        target = number
    }

    func boolean(_ key: String, into target: inout Bool) {
        if let value = take(key)?.boolean { target = value }
    }

    func text(_ key: String, _ form: ConfigurationText, isRequired: Bool = false) -> String? {
        take(key, isRequired: isRequired).flatMap { $0.text(form) }
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
        guard let found = take(key), let word = found.string else { return }
        if let choice = Choice(rawValue: word) {
            target = choice
        } else if later.contains(word) {
            found.report(.notSupported, "\"\(word)\" is not supported yet")
        } else {
            let words = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            found.report(.invalidValue, "must be one of \(words)")
        }
    }

    /// A list of files, each once; an empty one is refused because it could mean "none" or "the default".
    func paths(_ key: String, into target: inout [String]) {
        guard let found = take(key) else { return }
        target = found.list(limit: ConfigurationLimits.listCount).compactMap { $0.text(.absolutePath) }
        found.refuseDuplicates(target)
    }

    func object(_ key: String, _ body: (ConfigurationObject) -> Void) {
        guard let found = take(key), let object = ConfigurationObject(found, known) else { return }
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
        for element in found.list(limit: limit) {
            guard let object = ConfigurationObject(element, known) else { continue }
            body(object)
            object.finish()
        }
    }

    /// A key that a later version will know.
    func later(_ key: String, _ reason: String) {
        keys.append(key)
        source.member(key)?.report(.notSupported, reason, isKey: true)
    }

    /// Reports every key that was not asked for.
    func finish() {
        source.checkKeys(keys)
    }
}

extension SourceValue {
    /// Reports this value, or its key.
    func report(_ reason: ConfigurationReason, _ message: String, isKey: Bool = false) {
        findings.add(reason: reason, message, at: path, isKey: isKey)
    }

    /// A string of a form.
    func text(_ form: ConfigurationText) -> String? {
        guard let text = string else { return nil }
        guard form.accepts(text) else {
            report(.invalidValue, "must be \(form.expected)")
            return nil
        }
        return text
    }

    /// The elements of a list with 1 to `limit` of them.
    func list(limit: Int) -> [SourceValue] {
        guard let elements else { return [] }
        guard (1...limit).contains(elements.count) else {
            report(.outOfRange, "must have from 1 to \(limit) entries")
            return []
        }
        return elements
    }

    func refuseDuplicates(_ words: [String]) {
        for (index, word) in words.enumerated() where words[..<index].contains(word) {
            return report(.duplicateValue, "has \"\(word)\" twice")
        }
    }
}
