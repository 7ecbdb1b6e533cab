/// The currencies of the Advanced Commerce API and how many decimals a price in each of them may have. A price with more
/// decimals makes the payment sheet fail.
///
/// Source: Apple, Advanced Commerce API, the rules for prices in each currency.
package enum AdvancedCommerceCurrency {
    private static let withoutDecimals: Set<String> = [
        "CLP", "COP", "DKK", "HKD", "HUF", "IDR", "INR", "JPY", "KRW", "KZT", "MXN", "NGN",
        "NOK", "PHP", "PKR", "RUB", "SEK", "THB", "TWD", "TZS", "VND",
    ]
    private static let withTwoDecimals: Set<String> = [
        "AED", "AUD", "BGN", "BRL", "CAD", "CHF", "CNY", "CZK", "EGP", "EUR", "GBP", "ILS",
        "MYR", "NZD", "PEN", "PLN", "QAR", "RON", "SAR", "SGD", "TRY", "USD", "ZAR",
    ]

    /// Returns the number of decimals, 0 or 2; nil for a currency that Apple's list does not have.
    package static func decimals(of currency: String) -> Int? {
        if withoutDecimals.contains(currency) { return 0 }
        return withTwoDecimals.contains(currency) ? 2 : nil
    }
}
