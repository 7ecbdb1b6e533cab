/// The bits of ``SettingsRecord/flags``.
public enum SettingsFlags {
    /// Nothing is decided any more: every request gets no message.
    public static let killSwitch: UInt32 = 1
    /// All bits that mean something.
    public static let known: UInt32 = 1
}

/// The bits of ``RuleRecord/flags``.
public enum RuleFlags {
    /// The rule takes part.
    public static let enabled: UInt32 = 1
    /// All bits that mean something.
    public static let known: UInt32 = 1
}

/// The bits of ``MessageRecord/flags``.
public enum MessageFlags {
    /// A locale that is not approved ends the search: no other locale of the message stands in.
    public static let passesUnapproved: UInt16 = 1
    /// All bits that mean something.
    public static let known: UInt16 = 1
}

/// The bits of ``IdentifierRecord/flags``.
public enum IdentifierFlags {
    /// Must not be served: Apple has not approved it.
    public static let masked: UInt32 = 1
    /// All bits that mean something.
    public static let known: UInt32 = 1
}

/// The bits of ``CapsRecord/flags``.
public enum CapsFlags {
    /// An offer is made to a subscriber of whom nothing is known.
    public static let allowsUnknown: UInt32 = 1
    /// All bits that mean something.
    public static let known: UInt32 = 1
}

/// The bits of ``TestRecord/flags``.
public enum TestFlags {
    /// There is a record of the subscriber, possibly an empty one.
    public static let hasRecord: UInt32 = 1
    /// Nothing should be served.
    public static let servesNothing: UInt32 = 2
    /// The default should be what serves.
    public static let expectsDefault: UInt32 = 4
    /// Neither a rule nor the default should be what serves.
    public static let expectsNone: UInt32 = 8
    /// All bits that mean something.
    public static let known: UInt32 = 15
}
