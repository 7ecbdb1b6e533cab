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
        guard let members = locales.member("fallback")?.members(limit: RulesCompilerLimits.fallbackCount)
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
        reportCycle(members, next)
        return (fallbacks, last)
    }

    /// Reports every circle of fallbacks at its first entry in the source.
    private static func reportCycle(_ members: [(name: String, value: SourceValue)], _ next: [String: String])
    {
        var finished: Set<String> = []
        for (start, value) in members {
            var way: [String] = []
            var current = start
            while !finished.contains(current), let following = next[current] {
                finished.insert(current)
                way.append(current)
                current = following
                guard let begin = way.firstIndex(of: current) else { continue }
                let circle = (way[begin...] + [current]).joined(separator: " -> ")
                value.reportKey(.localeCycle, "fallbacks go round in a circle: \(circle)")
                break
            }
        }
    }
}
