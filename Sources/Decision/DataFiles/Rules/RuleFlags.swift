/// The bits of ``SettingsRecord/flags``.
public enum SettingsFlags {
    /// The kill switch is on: nothing is decided, and every request gets no message.
    public static let killSwitch: UInt32 = 1
}

/// The bits of ``RuleRecord/flags``.
public enum RuleFlags {
    /// The rule is switched on.
    public static let enabled: UInt32 = 1
}

/// The bits of ``MessageRecord/flags``.
public enum MessageFlags {
    /// A locale that Apple has not approved ends the search: the message's other locales are not tried, and the rule
    /// fails.
    public static let failsWhenUnapproved: UInt16 = 1
}

/// The bits of ``IdentifierRecord/flags``.
public enum IdentifierFlags {
    /// The server must not serve the identifier, because Apple has not approved it.
    public static let masked: UInt32 = 1
}

/// The bits of ``CapsRecord/flags``.
public enum CapsFlags {
    /// A subscriber gets an offer even when the facts for the caps are not known.
    public static let allowsUnknown: UInt32 = 1
}
