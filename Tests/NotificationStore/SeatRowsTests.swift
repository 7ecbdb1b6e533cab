import NotificationStore
import Support
import Testing

@Suite("The refunded seats of a transaction")
struct SeatRowsTests {
    @Test("are read from its payload")
    func revokedSeats() throws {
        let (place, sample) = (try TestStore(.sqlite), try Sample())
        let store = try place.open()
        let rows: [(quantity: Int64?, info: String, count: Int64?)] = [
            (5, #"{"revokedSeatQuantity":2,"invitationManagement":"APPLE"}"#, 2),
            (nil, #"{"revokedSeatQuantity":2}"#, 2), (5, #"{"revokedSeatQuantity":0}"#, 0),
            (5, "{}", nil), (5, #"{"revokedSeatQuantity":"2"}"#, nil), (5, "7", nil),
            (5, #"{"revokedSeatQuantity":99999999999}"#, -1),
        ]
        for (number, row) in rows.enumerated() {
            let period = Sample.Period(number: number)
            let columns = try sample.transaction(period) { $0.quantity = row.quantity }.columns
            let payload = #"{"signedDate":\#(period.signedAt),"multiSeatInfo":\#(row.info)}"#
            let part = StoredPart(proof: sample.proof, try sample.received(payload), columns: columns)
            let item = sample.item(part)
            #expect(store.store([item]) == [.stored])
            let found = try store.subscriber(period.originalTransactionID)?.transactions ?? []
            #expect(
                found.first { $0.columns.transactionID == period.transactionID }?.columns.revokedSeatQuantity
                    == row.count,
                "\(row.info)"
            )
        }
    }
}
