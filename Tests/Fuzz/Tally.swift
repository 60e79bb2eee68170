/// How many inputs each reader got and took, and how many nanoseconds it had for them.
struct Tally: Sendable {
  var given: [Int]
  var taken: [Int]
  var spent: [Int64]

  init(count: Int) {
    given = [Int](repeating: 0, count: count)
    taken = given
    spent = [Int64](repeating: 0, count: count)
  }

  mutating func add(_ other: Tally) {
    for index in given.indices {
      given[index] += other.given[index]
      taken[index] += other.taken[index]
      spent[index] += other.spent[index]
    }
  }
}
