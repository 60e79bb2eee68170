internal import StorageAuth
internal import StorageAuthTesting

/// Many devices, each with the machine of a credential cache, against one token service; time is stepped.
///
/// All open an app in the same second and use it without a pause from then on. After a day the service is away for ten
/// minutes, and later it rejects every key within a second.
struct Fleet: Sendable {
  /// The instants of the story, in seconds from the opening.
  enum Story {
    static let opening = 1
    static let evening = 22 * 3600
    static let day = 24 * 3600
    static let outage = 26 * 3600
    static let recovery = outage + 600
    static let calm = 30 * 3600
    static let rejection = 32 * 3600
    static let end = 34 * 3600
  }

  /// How many devices there are.
  var devices: Int
  /// For how long a key lives, in seconds.
  var life: Int
  /// What the random numbers are made from.
  var seed: UInt64 = 1

  /// Lets the devices ask, on every core.
  ///
  /// - Returns: How often the service was asked in each second.
  func run() async -> [UInt32] {
    let chunk = 10_000
    return await withTaskGroup(of: [UInt32].self) { group in
      for start in stride(from: 0, to: devices, by: chunk) {
        group.addTask {
          var questions = [UInt32](repeating: 0, count: Story.end)
          for device in start..<min(devices, start + chunk) { run(device, &questions) }
          return questions
        }
      }
      var total = [UInt32](repeating: 0, count: Story.end)
      for await questions in group {
        for second in total.indices { total[second] += questions[second] }
      }
      return total
    }
  }

  /// Steps one device from question to question.
  private func run(_ device: Int, _ questions: inout [UInt32]) {
    var generator = SeededGenerator(seed: seed << 32 ^ UInt64(device))
    var machine = CacheMachine<FleetKey>(source: "token service", configuration: CredentialCacheConfiguration())
    let rejection = Duration.seconds(Double(Story.rejection) + .random(in: 0..<1, using: &generator))
    var uptime = Duration.seconds(Double.random(in: 0..<1, using: &generator))
    var isRejected = false
    while let next = machine.nextQuestion(after: uptime) {
      var rejected: CredentialGeneration?
      uptime = next
      if next >= rejection, !isRejected {
        isRejected = true
        uptime = rejection
        rejected = machine.ready(lasting: .zero, at: uptime)?.generation
      }
      let need = CacheMachine<FleetKey>.Need(lasting: .zero, rejected: rejected)
      let second = Int(uptime.components.seconds)
      guard second < Story.end else { return }
      let isAway = (Story.outage..<Story.recovery).contains(second)
      for case .start(let flight) in machine.ask(1, need, at: uptime).1 {
        questions[second] += 1
        _ = machine.finish(
          flight, isAway ? .failure(Self.away) : .success(key(at: uptime)), at: uptime, wallClock: Self.midnight,
          random: .random(in: 0...1, using: &generator))
      }
    }
  }

  /// The key that the service issues at an instant.
  private func key(at uptime: Duration) -> IssuedCredential<FleetKey> {
    let now = Self.midnight.advanced(by: uptime)
    return IssuedCredential(FleetKey(expiration: now.advanced(by: .seconds(life))), issuerTime: now)
  }

  private static let midnight = Timestamp(unixSeconds: 1_800_000_000)
  private static let away = CredentialError(
    .failed, source: "token service", "It is away.", remedy: "Wait.", isRetryable: true)
}

/// A credential that is only an end.
private struct FleetKey: Credential {
  var expiration: Timestamp?
}
