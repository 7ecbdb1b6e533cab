internal import JSON
internal import Vocabulary
public import RulesReading

extension Inventory {
    /// Reads an inventory from JSON text.
    ///
    /// Unknown members are ignored, since Apple may add members to its answers. Only an unknown name that is similar to
    /// a known one is reported, as a likely typing error.
    ///
    /// - Throws: all errors of the text, with codes `inventory.…` and `json.…`.
    public init(reading text: [UInt8]) throws(RulesSourceError) {
        let limits = JSONLimits(
            byteCount: RulesSourceLimits.inventoryByteCount, depth: RulesSourceLimits.jsonDepth)
        self = try RulesSource.parse(text, limits, subject: "inventory") { InventoryReader.read($0) }
    }
}

/// Reads an inventory from the root of its JSON text.
enum InventoryReader {
    private static let rootKeys = Keys(["messageIdentifiers", "imageIdentifiers"])
    private static let messageKeys = Keys([
        "messageIdentifier", "messageState", "header", "body", "image", "headerPosition", "bulletPoints",
    ])
    private static let imageKeys = Keys(["imageIdentifier", "imageState", "imageSize"])

    static func read(_ root: SourceValue) -> Inventory {
        var inventory = Inventory()
        guard root.isObject else { return inventory }
        root.checkSpelling(rootKeys)
        let limit = RulesSourceLimits.inventoryCount
        for value in root.required("messageIdentifiers")?.elements(limit: limit) ?? [] where value.isObject {
            value.checkSpelling(messageKeys)
            guard let identifier = value.required("messageIdentifier")?.uuid(RulesReason.badUUID) else {
                continue
            }
            guard inventory.messages[identifier] == nil else {
                value.report(.duplicateID, "the message \(identifier) stands twice")
                continue
            }
            inventory.messages[identifier] = message(value)
        }
        for value in root.member("imageIdentifiers")?.elements(limit: limit) ?? [] where value.isObject {
            value.checkSpelling(imageKeys)
            guard let identifier = value.required("imageIdentifier")?.uuid(RulesReason.badUUID) else {
                continue
            }
            guard inventory.images[identifier] == nil else {
                value.report(.duplicateID, "the image \(identifier) stands twice")
                continue
            }
            inventory.images[identifier] = state(value.required("imageState"))
        }
        return inventory
    }

    private static func message(_ value: SourceValue) -> Inventory.Message {
        var message = Inventory.Message(state: state(value.required("messageState")))
        if let image = value.illustration("image"), image.isObject {
            message.isIllustrated = true
            if let identifier = image.required("imageIdentifier")?.uuid(RulesReason.badUUID) {
                message.images.append(identifier)
            }
        }
        let points = value.illustration("bulletPoints")?.elements(limit: RulesSourceLimits.listCount) ?? []
        if !points.isEmpty { message.isIllustrated = true }
        for point in points where point.isObject {
            if let identifier = point.required("imageIdentifier")?.uuid(RulesReason.badUUID) {
                message.images.append(identifier)
            }
        }
        return message
    }

    /// Reads a state. A state that is similar to a known one is reported, as a likely typing error. Apple may add states, so
    /// any other state is read as pending: it is not an approval.
    private static func state(_ value: SourceValue?) -> Inventory.State {
        guard let value, let word = value.string else { return .pending }
        if let state = Inventory.State(rawValue: word) { return state }
        if let hint = Hint.near(word, among: Inventory.State.allCases.map(\.rawValue)) {
            value.report(.unknownValue, "\"\(word)\" is not a state that Apple knows", hint: hint)
        }
        return .pending
    }
}

extension SourceValue {
    /// Returns a member, or nil when the member is missing or null.
    fileprivate func illustration(_ name: String) -> SourceValue? {
        member(name).flatMap { $0.value.kind == .null ? nil : $0 }
    }

    /// Reports every key that is not among `keys` but is similar to one of them.
    fileprivate func checkSpelling(_ keys: Keys) {
        for (name, _) in value.members where !keys.names.contains(name) {
            guard let hint = Hint.near(name, among: keys.names) else { continue }
            let path = path + [.member(name)]
            findings.add(.unknownKey, "unknown key \"\(name)\"", at: path, isKey: true, hint: hint)
        }
    }
}
