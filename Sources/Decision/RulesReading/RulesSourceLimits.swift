/// The limits of a rules source. An app has a few products and at most 2,000 messages; the limits are far above that.
public enum RulesSourceLimits {
    /// The longest source in bytes.
    public static let sourceByteCount = 64 << 20
    /// The deepest nesting of the JSON text. Each of the 8 levels of conditions takes two levels of JSON; the objects
    /// around a condition take the others.
    public static let jsonDepth = 64
    /// The most files that a source includes.
    public static let includeCount = 100
    /// The most messages, counted by name. Apple allows 2,000 messages per app (Upload Message), and counts each locale.
    public static let messageCount = 2_000
    /// The most products. App Store Connect allows 10,000 products per app.
    public static let productCount = 10_000
    /// The most products of one condition that compiler and lint tell apart. A condition with more may match for any product.
    public static let productSetLimit = 512
    /// The most steps in which compiler and lint find the products of all conditions. They take a second at most.
    public static let productStepCount = 4_000_000
    /// The most values that compiler and lint compare to find the declared products for which conditions may be true.
    public static let productTruthStepCount = 20_000_000
    /// The most values of an `enum` fact.
    public static let enumCount = 1_000
    /// The most arms of one rule. Each arm has at least one of the 10,000 buckets.
    public static let armCount = 100
    /// The most embedded tests; the loader runs them all.
    public static let testCount = 10_000
    /// The longest Advanced Commerce request, in bytes of JSON. A request holds a few names and numbers. The limit is
    /// below the length that the service signs.
    public static let requestByteCount = 4_096
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
    /// The most fallbacks from one locale to another.
    public static let fallbackCount = 1_000
    /// The most entries of `metadata`.
    public static let metadataCount = 64
    /// The most values of one `in` or `notIn`.
    public static let listCount = 10_000
    /// The most conditions in one `all` or `any`.
    public static let groupCount = 1_000
    /// The longest string in a comparison, in bytes. Product identifiers have at most 255 characters.
    public static let stringByteCount = 1_024
    /// The longest rule id or message name, in bytes. Both are written into log lines.
    public static let nameByteCount = 128
    /// The most findings of one run. An author with more findings repairs these first.
    public static let findingCount = 100
}
