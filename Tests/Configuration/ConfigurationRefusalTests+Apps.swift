import Configuration

extension ConfigurationRefusalTests {
    static let start = "\"appAppleId\":7,\"bundleId\":\"a\","  // 30 columns
    static let keys = "{\"keyId\":\"K\",\"issuerId\":\"I\",\"file\":\"/k\"}"
    static let otherKey = "{\"keyId\":\"L\",\"issuerId\":\"I\",\"file\":\"/k\"}"
    static let served = start + "\"environments\":[\"Sandbox\"],"  // 57 columns

    static let apps: [RefusedConfiguration] = [
        .init(
            app: start + "\"environments\":[]", "configuration.out-of-range", "apps[0].environments",
            column: 47),
        .init(
            app: start + "\"environments\":[\"Xcode\"]", "configuration.xcode-environment",
            "apps[0].environments[0]", column: 48),
        .init(
            app: start + "\"environments\":[\"production\"]", "configuration.invalid-value",
            "apps[0].environments[0]", column: 48),
        .init(
            app: start + "\"environments\":[7]", "configuration.wrong-type", "apps[0].environments[0]",
            column: 48),
        .init(
            app: start + "\"environments\":[\"Sandbox\",\"Sandbox\"]", "configuration.duplicate-value",
            "apps[0].environments", column: 47),
        .init(
            app: start + "\"environments\":[\"LocalTesting\"]", "configuration.local-testing-anchors",
            "apps[0].environments", column: 47),
        .init(
            app: start + "\"environments\":[\"Sandbox\",\"LocalTesting\"],\"anchors\":[\"/a\"]",
            "configuration.local-testing-mixed", "apps[0].environments", column: 47),
        .init(
            app: served + "\"bundelId\":\"a\"", "configuration.unknown-key", "apps[0].bundelId", column: 59),
        .init(
            app: served + "\"offerSignature\":\"v3\"", "configuration.invalid-value",
            "apps[0].offerSignature", column: 76),
        .init(
            app: served + "\"advancedCommerce\":true", "configuration.wrong-type", "apps[0].advancedCommerce",
            column: 78),
        .init(
            app: served + "\"advancedCommerce\":\"on\"", "configuration.invalid-value",
            "apps[0].advancedCommerce", column: 78),
        .init(
            app: served + "\"signingKeys\":[]", "configuration.out-of-range", "apps[0].signingKeys",
            column: 73),
        .init(
            app: served + "\"signingKeys\":[{\"keyId\":\"K\",\"issuerId\":\"I\"}]",
            "configuration.missing-key", "apps[0].signingKeys[0]", column: 74),
        .init(
            app: served + "\"signingKeys\":[\(keys),\(otherKey)]", "configuration.signing-key-choice",
            "apps[0].signingKeys", column: 73),
        .init(
            app: served + "\"signingKeys\":[\(keys),\(keys)],\"signingKeyId\":\"K\"",
            "configuration.duplicate-value", "apps[0].signingKeys", column: 73),
        .init(
            app: served + "\"signingKeyId\":\"K\"", "configuration.signing-key-choice",
            "apps[0].signingKeyId", column: 74),
        .init(
            "{\"apps\":[{\(served)\"signingKeyId\":null}]}", "configuration.wrong-type",
            "apps[0].signingKeyId", 1, 83),
        .init(
            app: "\"bundleId\":\"a\",\"environments\":[\"Sandbox\"]", "configuration.missing-key", "apps[0]",
            column: 1),
        .init(
            app: "\"appAppleId\":\"7\",\"bundleId\":\"a\",\"environments\":[\"Sandbox\"]",
            "configuration.wrong-type", "apps[0].appAppleId", column: 15),
        .init(
            app: "\"appAppleId\":0,\"bundleId\":\"a\",\"environments\":[\"Sandbox\"]",
            "configuration.out-of-range", "apps[0].appAppleId", column: 15),
        .init(
            app: "\"appAppleId\":7,\"bundleId\":\"a b\",\"environments\":[\"Sandbox\"]",
            "configuration.invalid-value", "apps[0].bundleId", column: 28),
        // The first form of offer signatures signs a text with U+2063 between its fields.
        .init(
            app: "\"appAppleId\":7,\"bundleId\":\"a\u{2063}b\",\"environments\":[\"Sandbox\"]",
            "configuration.invalid-value", "apps[0].bundleId", column: 28),
        .init(
            app: served + "\"signingKeys\":[{\"keyId\":\"K\u{2063}\",\"issuerId\":\"I\",\"file\":\"/k\"}]",
            "configuration.invalid-value", "apps[0].signingKeys[0].keyId", column: 83),
        .init(
            app: served + "\"signingKeys\":[{\"keyId\":\"K\",\"issuerId\":\"I\u{2063}\",\"file\":\"/k\"}]",
            "configuration.invalid-value", "apps[0].signingKeys[0].issuerId", column: 98),
        .init(
            "{\"apps\":[{\(start)\"environments\":[\"Sandbox\"]},\n{\(start)\"environments\":[\"Production\"]}]}",
            "configuration.duplicate-app", "apps[1].appAppleId", 2, 15),
    ]
}
