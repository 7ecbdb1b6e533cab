internal import JSON

extension Notification {
    /// Reads a payload whose signature is valid.
    ///
    /// - Throws: `payload-member-missing` or `payload-member-mistyped` for `notificationType` and `notificationUUID`.
    init(_ object: JSONValue) throws(VerificationError) {
        // Of any length: whoever keeps the notification shortens what does not fit.
        notificationType = NotificationType(
            rawValue: try SignedJSON.string("notificationType", of: object, byteCount: .max)
        )
        notificationUUID = try SignedJSON.string("notificationUUID", of: object, byteCount: .max)
        var reader = MemberReader()
        subtype = reader.string("subtype", of: object).map { NotificationSubtype(rawValue: $0) }
        version = reader.string("version", of: object)
        signedDate = reader.integer("signedDate", of: object)
        subject = NotificationSubject(object, &reader)
        unusableMembers = reader.unusable
    }
}

extension NotificationSubject {
    /// Reads the first object that is there, in the order of Apple's libraries.
    init(_ object: JSONValue, _ reader: inout MemberReader) {
        if let data = reader.object("data", of: object) {
            self = .data(NotificationData(data, &reader))
        } else if let summary = reader.object("summary", of: object) {
            self = .summary(NotificationSummary(summary, &reader))
        } else if let token = reader.object("externalPurchaseToken", of: object) {
            self = .externalPurchaseToken(ExternalPurchaseToken(token, &reader))
        } else if let data = reader.object("appData", of: object) {
            self = .appData(AppData(data, &reader))
        } else if let info = reader.object("unclaimInfo", of: object) {
            self = .unclaimInfo(UnclaimInfo(info, &reader))
        } else {
            self = .unknown
        }
    }
}

extension NotificationData {
    init(_ object: JSONValue, _ reader: inout MemberReader) {
        appAppleId = reader.integer("appAppleId", of: object)
        bundleId = reader.string("bundleId", of: object)
        environment = reader.string("environment", of: object)
        bundleVersion = reader.string("bundleVersion", of: object)
        status = reader.int32("status", of: object)
        consumptionRequestReason = reader.string("consumptionRequestReason", of: object)
    }
}

extension NotificationSummary {
    init(_ object: JSONValue, _ reader: inout MemberReader) {
        appAppleId = reader.integer("appAppleId", of: object)
        bundleId = reader.string("bundleId", of: object)
        environment = reader.string("environment", of: object)
        productId = reader.string("productId", of: object)
        requestIdentifier = reader.string("requestIdentifier", of: object)
        storefrontCountryCodes = reader.strings("storefrontCountryCodes", of: object)
        succeededCount = reader.integer("succeededCount", of: object)
        failedCount = reader.integer("failedCount", of: object)
    }
}

extension ExternalPurchaseToken {
    init(_ object: JSONValue, _ reader: inout MemberReader) {
        appAppleId = reader.integer("appAppleId", of: object)
        bundleId = reader.string("bundleId", of: object)
        externalPurchaseId = reader.string("externalPurchaseId", of: object)
        tokenCreationDate = reader.date("tokenCreationDate", of: object)
        tokenExpirationDate = reader.date("tokenExpirationDate", of: object)
        tokenType = reader.string("tokenType", of: object)
    }
}

extension AppData {
    init(_ object: JSONValue, _ reader: inout MemberReader) {
        appAppleId = reader.integer("appAppleId", of: object)
        bundleId = reader.string("bundleId", of: object)
        environment = reader.string("environment", of: object)
    }
}

extension UnclaimInfo {
    init(_ object: JSONValue, _ reader: inout MemberReader) {
        appAppleId = reader.integer("appAppleId", of: object)
        bundleId = reader.string("bundleId", of: object)
        environment = reader.string("environment", of: object)
        unclaimSeatIds = reader.strings("unclaimSeatIds", of: object)
    }
}
