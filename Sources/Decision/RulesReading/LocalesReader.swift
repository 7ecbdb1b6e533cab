internal import DataFiles
internal import JSON

/// Reads `locales`: the fallback of each locale, and the last locale to try.
enum LocalesReader {
    static func read(_ locales: SourceValue) -> (fallbacks: [RulesModel.LocaleFallback], last: String?) {
        locales.checkKeys(.locales)
        var last: String?
        if let value = locales.member("last"), let text = value.string, value.checkLocale(text) {
            last = text
        }
        guard let members = locales.member("fallback")?.members(limit: RulesSourceLimits.fallbackCount)
        else {
            return ([], last)
        }
        var fallbacks: [RulesModel.LocaleFallback] = []
        var next: [String: String] = [:]
        for (locale, value) in members {
            let isLocale = value.checkLocale(locale, isKey: true)
            guard let fallback = value.string, value.checkLocale(fallback), isLocale else { continue }
            fallbacks.append(RulesModel.LocaleFallback(locale: locale, fallback: fallback))
            next[locale] = fallback
        }
        checkSteps(members, next)
        return (fallbacks, last)
    }

    /// Reports every circle of fallbacks at its first entry in the source, and every chain that is too long.
    private static func checkSteps(_ members: [(name: String, value: SourceValue)], _ next: [String: String])
    {
        let limit = DataFileLimits.fallbackStepCount
        var reported: Set<String> = []
        for (start, value) in members {
            var way = [start]
            while let following = next[way[way.count - 1]], !reported.contains(following) {
                if let begin = way.firstIndex(of: following) {
                    reported.formUnion(way)
                    let circle = (way[begin...] + [following]).joined(separator: " -> ")
                    value.reportKey(.localeCycle, "fallbacks go round in a circle: \(circle)")
                    break
                }
                way.append(following)
                guard way.count > limit + 1 else { continue }
                reported.formUnion(way)
                value.reportKey(.tooMany, "more than \(limit) fallbacks lead on from here")
                break
            }
        }
    }
}
