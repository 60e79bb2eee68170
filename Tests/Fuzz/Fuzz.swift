import Foundation
import StorageAuthTesting

/// Gives random and mutated inputs to everything that reads what comes from elsewhere.
///
/// `aspera-fuzz [COUNT [SEED [FIRST]]]` from the root of the package. Every input follows from the seed and its number:
/// one that broke a rule is made again with its number as FIRST and a COUNT of 1.
@main
enum Fuzz {
  static func main() async {
    let arguments = CommandLine.arguments.dropFirst().map { UInt64($0) }
    guard arguments.allSatisfy({ $0 != nil }), arguments.count <= 3 else {
      print("usage: aspera-fuzz [COUNT [SEED [FIRST]]]")
      exit(64)
    }
    let numbers = arguments.compactMap { $0 }
    let count = numbers.first ?? 1_000_000
    let seed = numbers.count > 1 ? numbers[1] : .random(in: 0...UInt64(UInt32.max))
    let first = numbers.count > 2 ? numbers[2] : 0
    print("aspera-fuzz: \(count) inputs, seed \(seed), first \(first)")
    do {
      try await run(Targets.all(Samples()), first..<(first + count), seed)
    } catch {
      print("\(error)")
      exit(1)
    }
  }

  /// Shares the inputs between two tasks, each with every other one.
  private static func run(_ targets: [Target], _ numbers: Range<UInt64>, _ seed: UInt64) async throws {
    let total = try await withThrowingTaskGroup(of: Tally.self) { group in
      for start in numbers.prefix(2) {
        let own = Array(stride(from: start, to: numbers.upperBound, by: 2))
        group.addTask { try await give(own, to: targets, seed) }
      }
      return try await group.reduce(into: Tally(count: targets.count)) { $0.add($1) }
    }
    for (index, target) in targets.enumerated() {
      let time = total.spent[index] / 1_000_000
      print("\(target.name): \(total.given[index]) inputs, \(total.taken[index]) taken, \(time) ms")
    }
    print("\(total.given.reduce(0, +)) inputs, no rule broken")
  }

  private static func give(_ numbers: [UInt64], to targets: [Target], _ seed: UInt64) async throws -> Tally {
    let shares = targets.indices.flatMap { Array(repeating: $0, count: targets[$0].weight) }
    var tally = Tally(count: targets.count)
    let clock = ContinuousClock()
    for number in numbers {
      var random = SeededGenerator(seed: seed &+ number &* 0xd1b5_4a32_d192_ed03)
      let index = random.pick(shares)
      let target = targets[index]
      let input = target.mutator.input(&random)
      let start = clock.now
      do {
        if try await target.run(input, &random) { tally.taken[index] += 1 }
      } catch {
        let hex = input.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        throw BrokenRule("\(target.name), input \(number) of seed \(seed): \(error)\n\(hex)")
      }
      tally.given[index] += 1
      let (seconds, attoseconds) = (clock.now - start).components
      tally.spent[index] += seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
    return tally
  }
}
