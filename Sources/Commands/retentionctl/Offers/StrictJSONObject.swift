internal import JSON
internal import Vocabulary

/// A JSON object that must have certain members, and may have others only if the caller allows them.
struct StrictJSONObject {
    private let value: JSONValue
    private let place: String

    /// Checks the members of an object. `place` names the object in errors. When `optional` is nil, any other member is
    /// allowed.
    init(_ value: JSONValue, _ place: String, required: [String], optional: [String]? = [])
        throws(OfferProblem)
    {
        self.value = value
        self.place = place
        guard value.kind == .object else { throw .memberWrong(place, expected: "a JSON object") }
        for name in required where value.member(named: name) == nil {
            throw .memberMissing("\(place).\(name)")
        }
        guard let optional else { return }
        for (name, _) in value.members where !(required + optional).contains(name) {
            throw .memberUnknown("\(place).\(name)")
        }
    }

    /// Returns the string of a member. Throws when the string is empty.
    func string(_ name: String) throws(OfferProblem) -> String {
        guard let text = value.member(named: name)?.string else {
            throw .memberWrong("\(place).\(name)", expected: "a string")
        }
        guard !text.isEmpty else { throw .memberEmpty("\(place).\(name)") }
        return text
    }

    /// Returns the identifier of a product, an offer or a key. Throws when no identifier can be written like this.
    func identifier(_ name: String) throws(OfferProblem) -> String {
        let text = try string(name)
        guard StoreIdentifier.isPossible(text) else {
            throw .memberWrong("\(place).\(name)", expected: "without control characters and U+2063")
        }
        return text
    }

    /// Checks that a member is this string.
    func constant(_ name: String, _ expected: String) throws(OfferProblem) {
        guard value.member(named: name)?.string == expected else {
            throw .memberWrong("\(place).\(name)", expected: "\"\(expected)\"")
        }
    }

    func integer(_ name: String) throws(OfferProblem) -> Int64 {
        guard let number = value.member(named: name)?.int64 else {
            throw .memberWrong("\(place).\(name)", expected: "a whole number")
        }
        return number
    }

    /// Returns a UUID in lower case, as Apple requires it in V1; nil when the member is absent.
    func lowerCaseUUID(_ name: String) throws(OfferProblem) -> UUID? {
        guard let member = value.member(named: name) else { return nil }
        guard let text = member.string, let uuid = UUID(text), uuid.description == text else {
            throw .memberWrong("\(place).\(name)", expected: "a UUID in lower case")
        }
        return uuid
    }
}
