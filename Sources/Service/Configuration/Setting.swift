internal import JSON
package import System

/// One key of an object in `retentiond.json`: how the key is read, how `-T` writes it, and what a HUP does with a change.
///
/// To add a setting, add a property, whose initial value is the default, a value of this type, and a member of the schema.
struct Setting<Object>: Sendable {
    let key: String
    /// True when a HUP with a change is refused with `needs-restart`. Inside an object or a list, a change is a change of the
    /// outer key; a setting inside may need a restart although the outer key needs none.
    var needsRestart = false
    var isRequired = false
    let read: @Sendable (SourceValue, inout Object) -> Void
    /// Returns the object's value as JSON, or nil when the key is absent.
    let write: @Sendable (Object, _ hidingSecrets: Bool) -> JSONNode?

    func differs(_ object: Object, from other: Object) -> Bool {
        write(object, false)?.serialized() != write(other, false)?.serialized()
    }

    func needingRestart() -> Setting {
        var setting = self
        setting.needsRestart = true
        return setting
    }

    func required() -> Setting {
        var setting = self
        setting.isRequired = true
        return setting
    }
}

extension SourceValue {
    /// Reads the members of this JSON object into `object`. Reports wrong values and unknown keys.
    func read<Object>(
        _ settings: [Setting<Object>], later: [(key: String, message: String)] = [], into object: inout Object
    ) {
        guard isObject else { return }
        for setting in settings {
            guard let value = setting.isRequired ? required(setting.key) : member(setting.key) else {
                continue
            }
            setting.read(value, &object)
        }
        for (key, message) in later { member(key)?.report(.notSupported, message, isKey: true) }
        checkKeys(settings.map(\.key), knowing: later.map(\.key))
    }

    func report(_ reason: ConfigurationReason, _ message: String, isKey: Bool = false) {
        findings.add(reason: reason, message, at: path, isKey: isKey)
    }

    /// A list with fewer than 1 or more than `limit` elements is reported and read as empty.
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

/// One function for each form of value. A setting that the text does not have keeps the value its property was declared
/// with.
extension Setting {
    static func integer<Number: FixedWidthInteger & Sendable>(
        _ key: String, _ property: any WritableKeyPath<Object, Number> & Sendable,
        _ range: ClosedRange<Number>
    ) -> Setting {
        Setting(
            key: key,
            read: { value, object in
                guard let number = value.integer else { return }
                guard let number = Number(exactly: number),
                    range.contains(number)
                else {
                    return value.report(
                        .outOfRange, "must be from \(range.lowerBound) to \(range.upperBound)")
                }
                object[keyPath: property] = number
            },
            write: { object, _ in .integer(Int64(object[keyPath: property])) }
        )
    }

    static func boolean(
        _ key: String, _ property: any WritableKeyPath<Object, Bool> & Sendable
    ) -> Setting {
        Setting(
            key: key,
            read: { value, object in
                if let flag = value.boolean { object[keyPath: property] = flag }
            },
            write: { object, _ in .boolean(object[keyPath: property]) }
        )
    }

    /// Returns a setting for a value that the file has as a string. `isSecret` hides the value in the output of `-T`. `read` returns nil
    /// for a text that is refused, `write` for a value that is absent.
    static func converted<Value>(
        _ key: String, _ property: any WritableKeyPath<Object, Value> & Sendable, expected: String,
        isSecret: Bool = false, read: @escaping @Sendable (String) -> Value?,
        write: @escaping @Sendable (Value) -> String?
    ) -> Setting {
        Setting(
            key: key,
            read: { value, object in
                guard let text = value.string else { return }
                guard let found = read(text) else {
                    return value.report(.invalidValue, "must be \(expected)")
                }
                object[keyPath: property] = found
            },
            write: { object, hidingSecrets in
                write(object[keyPath: property]).map { .string(isSecret && hidingSecrets ? "hidden" : $0) }
            }
        )
    }

    static func text(
        _ key: String, _ property: any WritableKeyPath<Object, String> & Sendable, _ form: ConfigurationText,
        isSecret: Bool = false
    ) -> Setting {
        .converted(
            key, property, expected: form.expected, isSecret: isSecret,
            read: { form.accepts($0) ? $0 : nil }, write: { $0 })
    }

    static func optionalText(
        _ key: String, _ property: any WritableKeyPath<Object, String?> & Sendable, _ form: ConfigurationText
    ) -> Setting {
        .converted(
            key, property, expected: form.expected, read: { form.accepts($0) ? .some($0) : nil },
            write: { $0 })
    }

    static func address(
        _ key: String, _ property: any WritableKeyPath<Object, ListenAddress> & Sendable
    ) -> Setting {
        .converted(
            key, property,
            expected: "\"unix:/path\", \"address:port\" with a numeric address, or \"systemd\"",
            read: { ListenAddress($0) }, write: { $0.description }
        )
    }

    static func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
        _ key: String, _ property: any WritableKeyPath<Object, Choice> & Sendable
    ) -> Setting {
        let words = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        return .converted(
            key, property, expected: "one of \(words)", read: { Choice(rawValue: $0) },
            write: { $0.rawValue })
    }

    /// Returns a setting for a list of strings of a form without duplicates. An empty list is refused, because it could mean
    /// "none" or "the default".
    static func texts(
        _ key: String, _ property: any WritableKeyPath<Object, [String]> & Sendable,
        _ form: ConfigurationText
    ) -> Setting {
        Setting(
            key: key,
            read: { value, object in
                let texts = value.list(limit: ConfigurationLimits.listCount).compactMap {
                    element -> String? in
                    guard let text = element.string else { return nil }
                    if form.accepts(text) { return text }
                    element.report(.invalidValue, "must be \(form.expected)")
                    return nil
                }
                value.refuseDuplicates(texts)
                object[keyPath: property] = texts
            },
            write: { object, _ in
                let texts = object[keyPath: property]
                return texts.isEmpty ? nil : .array(texts.map { .string($0) })
            }
        )
    }

    static func object<Inner>(
        _ key: String, _ property: any WritableKeyPath<Object, Inner> & Sendable, _ settings: [Setting<Inner>]
    ) -> Setting {
        Setting(
            key: key,
            read: { value, object in value.read(settings, into: &object[keyPath: property]) },
            write: { object, hidingSecrets in
                let inner = object[keyPath: property]
                return .object(settings.members(of: inner, hidingSecrets: hidingSecrets))
            }
        )
    }

    /// Returns a setting for an object that may be absent. An object that is there begins with the values of `standard`.
    static func optionalObject<Inner: Sendable>(
        _ key: String, _ property: any WritableKeyPath<Object, Inner?> & Sendable,
        _ settings: [Setting<Inner>], standard: Inner
    ) -> Setting {
        Setting(
            key: key,
            read: { value, object in
                guard value.isObject else { return }
                var inner = standard
                value.read(settings, into: &inner)
                object[keyPath: property] = inner
            },
            write: { object, hidingSecrets in
                object[keyPath: property].map {
                    .object(settings.members(of: $0, hidingSecrets: hidingSecrets))
                }
            }
        )
    }

    /// Returns a setting for a list of objects that have settings of their own. `check` is called for each object after
    /// it is read, with the objects before it.
    static func objects<Inner: Sendable>(
        _ key: String,
        _ property: any WritableKeyPath<Object, [Inner]> & Sendable,
        _ settings: [Setting<Inner>],
        empty: Inner,
        limit: Int,
        check: @escaping @Sendable (SourceValue, Inner, _ before: [Inner]) -> Void = { _, _, _ in }
    ) -> Setting {
        Setting(
            key: key,
            read: { value, object in
                for element in value.list(limit: limit) where element.isObject {
                    var inner = empty
                    element.read(settings, into: &inner)
                    check(element, inner, object[keyPath: property])
                    object[keyPath: property].append(inner)
                }
            },
            write: { object, hidingSecrets in
                let list = object[keyPath: property].map { inner in
                    JSONNode.object(settings.members(of: inner, hidingSecrets: hidingSecrets))
                }
                return list.isEmpty ? nil : .array(list)
            }
        )
    }
}

extension Array {
    func members<Object>(of object: Object, hidingSecrets: Bool) -> [(String, JSONNode)]
    where Element == Setting<Object> {
        compactMap { setting in setting.write(object, hidingSecrets).map { (setting.key, $0) } }
    }
}

/// The form that a string in the configuration must have.
struct ConfigurationText: Sendable {
    /// The words that complete the message "must be …".
    let expected: String
    let accepts: @Sendable (String) -> Bool

    /// An absolute path, so that its meaning does not depend on the directory in which a process was started.
    static let absolutePath = ConfigurationText(
        expected: "an absolute path, such as \"/var/lib/retentiond\""
    ) {
        $0.utf8.first == UInt8(ascii: "/") && $0.utf8.count <= ConfigurationLimits.pathBytes
            && $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    static let account = word(of: "._$-", "the name of a user or group")

    static let bundleIdentifier = word(of: "._-", "a bundle ID, such as \"com.example.app\"")

    static let notificationType = word(of: "_", "a notificationType, such as \"DID_RENEW\"")

    static let storeEnvironment = ConfigurationText(
        expected: "\"Production\" or \"Sandbox\""
    ) { ["Production", "Sandbox"].contains($0) }

    static let identifier = word(of: "-", "an identifier of App Store Connect")

    /// Returns the form of a string of letters, digits and the characters in `others`.
    private static func word(of others: String, _ expected: String) -> ConfigurationText {
        ConfigurationText(expected: expected) { text in
            !text.isEmpty && text.utf8.count <= ConfigurationLimits.nameBytes
                && text.allSatisfy {
                    $0.isASCII && ($0.isLetter || $0.isNumber) || others.contains($0)
                }
        }
    }
}

package enum ListenAddress: Sendable, Hashable, CustomStringConvertible {
    case unix(path: String)
    case internet(host: String, port: UInt16)
    case systemd

    package var description: String {
        switch self {
        case .unix(let path): "unix:\(path)"
        case .internet(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .systemd: "systemd"
        }
    }

    /// Parses `unix:/path`, `127.0.0.1:9000`, `[::1]:9000` or `systemd`. Returns nil for any other text.
    package init?(_ text: String) {
        if text == "systemd" {
            self = .systemd
        } else if text.hasPrefix("unix:") {
            let path = String(text.dropFirst("unix:".count))
            guard ConfigurationText.absolutePath.accepts(path),
                path.utf8.count <= ConfigurationLimits.socketPathBytes, !path.hasSuffix("/")
            else { return nil }
            self = .unix(path: path)
        } else {
            guard let colon = text.lastIndex(of: ":"), let port = Self.port(text[text.index(after: colon)...])
            else { return nil }
            var host = text[..<colon]
            let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
            if isBracketed { host = host.dropFirst().dropLast() }
            guard NumericHost(String(host)) != nil, host.contains(":") == isBracketed else { return nil }
            self = .internet(host: String(host), port: port)
        }
    }

    /// True when only this machine can reach the address. True for systemd's socket, because its address is in the
    /// systemd unit.
    package var isLocal: Bool {
        switch self {
        case .unix, .systemd: true
        case .internet(let host, _): NumericHost(host)?.isLoopback ?? false
        }
    }

    private static func port(_ text: Substring) -> UInt16? {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let port = UInt16(text), port > 0
        else { return nil }
        return port
    }
}

enum OctalMode {
    /// Reads three octal digits, with or without one zero before them: `"660"` or `"0660"`.
    static func read(_ text: String) -> UInt32? {
        guard (3...4).contains(text.utf8.count), text.allSatisfy({ "01234567".contains($0) }),
            let mode = UInt32(text, radix: 8), mode <= 0o777
        else { return nil }
        return mode
    }

    static func text(_ mode: UInt32) -> String {
        let octal = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - octal.utf8.count)) + octal
    }
}

package struct ConfigurationError: CodedError, Hashable, CustomStringConvertible {
    /// Every problem in the order of the text, at least one. A text that is not JSON within our limits has a single
    /// problem, with JSON's own code.
    package let findings: [Finding]

    package var code: String { findings.first?.code ?? "configuration.invalid-value" }

    package var description: String { description(ofFile: "") }

    /// Returns one line for each finding, with the file, line and column. The first line has no code: ``code`` is its
    /// code, and the caller that shows the line adds it. Every other line ends with its own code.
    package func description(ofFile path: String) -> String {
        findings.enumerated().map { index, finding in
            let numbers = [finding.line, finding.column].compactMap { $0.map(String.init) }
            let place = ([path].filter { !$0.isEmpty } + numbers).joined(separator: ":")
            let parts = [place, finding.path, finding.message].filter { !$0.isEmpty }
            let line = parts.joined(separator: ": ") + (finding.hint.map { ", \($0)" } ?? "")
            return index == 0 ? line : "\(line) (\(finding.code))"
        }.joined(separator: "\n")
    }
}

/// The kinds of problems in `retentiond.json`. The raw value is the last part of the code, after `configuration.`.
package enum ConfigurationReason: String, FindingReason, CaseIterable {
    case unknownKey = "unknown-key"
    case notSupported = "not-supported"
    case missingKey = "missing-key"
    case wrongType = "wrong-type"
    case outOfRange = "out-of-range"
    case invalidValue = "invalid-value"
    case duplicateValue = "duplicate-value"
    case duplicateApp = "duplicate-app"
    case xcodeEnvironment = "xcode-environment"
    case localTestingAnchors = "local-testing-anchors"
    case localTestingMixed = "local-testing-mixed"
    case remoteListen = "remote-listen"
    case signingKeyChoice = "signing-key-choice"
}

/// Bounds for the values in `retentiond.json`. A value beyond its bound is taken for a typing error.
package enum ConfigurationLimits {
    /// The size of the largest configuration file in bytes: enough for some thousand apps.
    package static let fileBytes = 1 << 20
    /// The deepest nesting: the root, `apps`, an app, `signingKeys`, a key, and spare levels so that a text nested too
    /// deeply still gets a useful message.
    static let depth = 16
    /// The largest number of problems that one run reports. Each costs a scan of the text for its position.
    static let findingCount = 50
    /// The largest number of apps. Each app has rules files, and a generation holds at most 256 data files.
    static let appCount = 256
    static let listCount = 32
    /// The longest path of a file: PATH_MAX of Linux without its NUL.
    static let pathBytes = 4095
    /// The greatest `notificationBodyBytes`. The nginx files take no larger body either.
    package static let notificationBodyBytes = 512 << 10
    /// The longest path of a unix socket: `sun_path` without its NUL.
    static let socketPathBytes = 107
    static let nameBytes = 255
}
