internal import System
internal import Vocabulary

extension RulesModel {
    /// Reads a file back into a model. Writing the model under the same stamp gives the same bytes, if the file was
    /// written in this version of the format.
    ///
    /// Open the file with a full check first: from a damaged file this reads only what can be read.
    public init(reading file: RulesFile) {
        self.init(
            appAppleId: file.header.appAppleId, bundleId: file.bundleId, environment: file.header.environment)
        let tables = file.tables
        let settings = tables.settings
        killSwitch = settings.flags & SettingsFlags.killSwitch != 0
        metadata = file.metadata.map { Metadatum(key: $0.key, value: $0.value) }
        lastLocale = settings.lastLocale.isNone ? nil : file.string(settings.lastLocale)
        facts = file.declaredFacts.map { FactDeclaration(name: $0.name, kind: $0.kind) }
        file.withBytes { bytes in
            let reader = ModelReader(tables: tables)
            localeFallbacks = reader.localeFallbacks(bytes)
            products = reader.products(bytes)
            messages = (0..<tables.messages.count).compactMap { reader.message(at: $0, bytes) }
            segments = (0..<tables.segments.count).compactMap { reader.segment(at: $0, bytes) }
            holdout = reader.holdout(bytes)
            caps = reader.caps(bytes)
            rules = (0..<tables.rules.count).compactMap { reader.rule(at: $0, bytes) }
            defaultOutcome = reader.outcome(settings.defaultOutcome, bytes)
            tests = (0..<tables.tests.count).compactMap { reader.test(at: $0, bytes) }
        }
    }
}

/// Reads the entries of a file back into the parts of a model.
struct ModelReader {
    let tables: RulesTables

    func string(_ reference: EntryReference, _ bytes: RawSpan) -> String? {
        reference.isNone ? nil : tables.strings.string(reference, in: bytes)
    }

    func localeFallbacks(_ bytes: RawSpan) -> [RulesModel.LocaleFallback] {
        (0..<tables.localeFallbacks.count).compactMap { index in
            guard let record = tables.localeFallbacks.record(at: index, in: bytes),
                let locale = string(record.locale, bytes), let fallback = string(record.fallback, bytes)
            else { return nil }
            return RulesModel.LocaleFallback(locale: locale, fallback: fallback)
        }
    }

    func products(_ bytes: RawSpan) -> [RulesModel.Product] {
        (0..<tables.products.count).compactMap { index in
            guard let record = tables.products.record(at: index, in: bytes),
                let name = string(record.productId, bytes)
            else { return nil }
            return RulesModel.Product(name: name, group: string(record.group, bytes))
        }
    }

    func message(at index: Int, _ bytes: RawSpan) -> RulesModel.Message? {
        guard let record = tables.messages.record(at: index, in: bytes),
            let name = string(record.name, bytes),
            let kind = MessageKind(rawValue: UInt32(record.kind))
        else { return nil }
        var message = RulesModel.Message(name: name, kind: kind, identifiers: [])
        message.failsWhenUnapproved = record.flags & MessageFlags.failsWhenUnapproved != 0
        let first = record.firstIdentifier.index
        for position in 0..<min(Int(record.identifierCount), tables.messageIdentifiers.count) {
            guard let entry = tables.messageIdentifiers.record(at: first + position, in: bytes),
                let locale = string(entry.locale, bytes)
            else { continue }
            let identifier = RulesModel.LocalizedIdentifier(
                locale: locale, identifier: UUID(high: entry.high, low: entry.low),
                isMasked: entry.flags & IdentifierFlags.masked != 0)
            message.identifiers.append(identifier)
        }
        return message
    }

    func segment(at index: Int, _ bytes: RawSpan) -> RulesModel.Segment? {
        guard let record = tables.segments.record(at: index, in: bytes),
            let name = string(record.name, bytes),
            let condition = Condition(reading: record.condition, depth: 0, tables, bytes)
        else { return nil }
        return RulesModel.Segment(name: name, condition: condition)
    }

    func split(_ reference: EntryReference, _ bytes: RawSpan) -> RulesModel.Split? {
        guard let record = tables.splits.record(at: reference.index, in: bytes),
            let salt = string(record.salt, bytes),
            let unit = UInt16(exactly: record.unit).flatMap(Fact.init(number:))
        else { return nil }
        return RulesModel.Split(salt: salt, unit: unit, basisPoints: Int(record.basisPoints))
    }

    func holdout(_ bytes: RawSpan) -> RulesModel.Holdout? {
        guard let record = tables.holdout.record(at: 0, in: bytes), let split = split(record.split, bytes),
            let outcome = outcome(record.outcome, bytes)
        else { return nil }
        let until = record.until == .max ? nil : record.until
        return RulesModel.Holdout(split: split, until: until, outcome: outcome)
    }

    func caps(_ bytes: RawSpan) -> RulesModel.OfferCaps? {
        guard let record = tables.caps.record(at: 0, in: bytes) else { return nil }
        return RulesModel.OfferCaps(
            maxAccepted: record.maxAccepted < 0 ? nil : record.maxAccepted,
            minDaysSinceLast: record.minDaysSinceLast < 0 ? nil : record.minDaysSinceLast,
            acceptedFact: Fact(number: record.acceptedFact), lastFact: Fact(number: record.lastFact),
            allowsUnknown: record.flags & CapsFlags.allowsUnknown != 0)
    }

    func outcome(_ reference: EntryReference, _ bytes: RawSpan) -> RulesModel.Outcome? {
        guard let record = tables.outcomes.record(at: reference.index, in: bytes) else { return nil }
        let message = record.message.index
        switch OutcomeKind(rawValue: record.kind) {
        case .nothing: return .nothing
        case .message: return .message(message)
        case .switch:
            guard let productId = string(record.first, bytes) else { return nil }
            let plan = tables.billingPlanType(record.second, in: bytes)
            return .switch(message: message, productId: productId, billingPlanType: plan)
        case .offer:
            guard let productId = string(record.first, bytes), let offer = string(record.second, bytes) else {
                return nil
            }
            return .offer(message: message, productId: productId, offerIdentifier: offer)
        case .advancedCommerce:
            return string(record.first, bytes).map { .advancedCommerce(message: message, request: $0) }
        case nil: return nil
        }
    }
}
