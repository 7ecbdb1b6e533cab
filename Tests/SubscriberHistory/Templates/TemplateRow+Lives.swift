extension TemplateRow {
    /// One of many subscribers as most apps have them: they renew, and some cancel, accept an offer, or leave and come back.
    static func ordinary(_ number: Int) -> Life {
        var life = Life()
        life.buy(number % 4 == 3 ? annual : monthly, number % 5 == 4 ? .trial : nil)
        life.renew(number % 15)
        if number % 3 == 1 {
            life.now += 2 * Life.day
            life.cancel()
            life.now += Life.day
            life.resume()
        }
        if number % 7 == 6 {
            life.now += Life.day
            life.redeem(.promotional("save50_3m"))
            life.renew()
        }
        if number % 11 == 10 {
            life.now += Life.day
            life.cancel()
            life.expire()
            life.now += 20 * Life.day
            life.buy(monthly, .winBack)
            life.sync()
        }
        return life
    }
}

extension Life {
    /// Pays two periods, lets the subscription end on day 60, and buys again on day 110, with an offer or without.
    mutating func leaveAndReturn(_ plan: Plan, _ offer: Offer? = nil) {
        buy(plan)
        renew()
        to(50)
        cancel()
        expire()
        to(110)
        buy(plan, offer)
    }
}
