/// The bounds of a rules source. An app has a handful of products and at most 2,000 messages; these are far above.
public enum RulesCompilerLimits {
    /// The longest source in bytes.
    public static let sourceByteCount = 16 << 20
    /// The deepest nesting of JSON: conditions to depth 8 take two levels each, and their own surroundings.
    public static let jsonDepth = 64
    /// The most rules of a file; each request looks at them one after the other.
    public static let ruleCount = 20_000
    /// The most names of messages. Apple allows 2,000 messages an app (Upload Message), a locale's each counted.
    public static let messageCount = 2_000
    /// The most products; App Store Connect allows 10,000 products an app.
    public static let productCount = 10_000
    /// The most products of a condition that compiler and lint tell apart; one with more may match for any.
    public static let toldProductCount = 512
    /// The most steps that compiler and lint take to find the products of all conditions: a second of them at most.
    public static let productStepCount = 4_000_000
    /// The most values that compiler and lint compare to see which declared products a condition leaves.
    public static let productTruthStepCount = 20_000_000
    /// The most values of an `enum` fact.
    public static let enumCount = 1_000
    /// The most arms of one rule; each has at least one of 10,000 buckets.
    public static let armCount = 100
    /// The most embedded tests; the loader runs them all.
    public static let testCount = 10_000
    /// The longest Advanced Commerce request, in bytes of JSON: a few names and numbers. Less than what the service signs.
    public static let requestByteCount = 8_192
    /// The longest SKU of the Advanced Commerce API, in characters.
    public static let skuCharacterCount = 128
    /// The longest `displayName` of the Advanced Commerce API, in characters.
    public static let displayNameCharacterCount = 30
    /// The longest `description` of the Advanced Commerce API, in characters.
    public static let descriptionCharacterCount = 45
    /// The longest inventory, in bytes: 2,000 messages and 2,000 images with their texts.
    public static let inventoryByteCount = 16 << 20
    /// The most messages, and the most images, of an inventory. Apple allows 2,000 each.
    public static let inventoryCount = 10_000
    /// The most locales of one message; the App Store has about 40.
    public static let localeCount = 200
    /// The most steps from one locale to another.
    public static let fallbackCount = 1_000
    /// The most entries of `metadata`.
    public static let metadataCount = 64
    /// The most values of one `in` or `notIn`.
    public static let listCount = 10_000
    /// The most conditions in one `all` or `any`.
    public static let groupCount = 1_000
    /// The longest string to compare with, in bytes; product identifiers have at most 255 characters.
    public static let stringByteCount = 1_024
    /// The longest rule id or message name, in bytes: they stand in log lines.
    public static let nameByteCount = 128
    /// The most findings of one run; whoever has more repairs these first.
    public static let findingCount = 100
}
