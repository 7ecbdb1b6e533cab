public import DataFiles

extension ResolvedCatalogue {
    /// The messages as rules refer to them: under each name an identifier for each locale, in the order of the file.
    public var rulesMessages: [RulesModel.Message] {
        var rules: [RulesModel.Message] = []
        for message in messages {
            // The texts of one message stand one after the other.
            if rules.last?.name != message.name {
                rules.append(RulesModel.Message(name: message.name, kind: message.kind, identifiers: []))
            }
            let entry = RulesModel.LocalizedIdentifier(locale: message.locale, identifier: message.identifier)
            rules[rules.count - 1].identifiers.append(entry)
        }
        return rules
    }
}
