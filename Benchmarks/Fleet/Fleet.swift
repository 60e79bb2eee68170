// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageAuthTesting

/// A simulation of many devices, each with the state machine of a credential cache, and one token service, in stepped
/// time.
///
/// All devices open an app in the same second and use it continuously from then on. After a day the service is
/// unavailable for ten minutes, and later it rejects every key within a second.
struct Fleet: Sendable {
  /// The times of the events, in seconds since the opening.
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

  /// The number of devices.
  var devices: Int
  /// The lifetime of a key in seconds.
  var life: Int
  /// The seed of the random numbers.
  var seed: UInt64 = 1

  /// Runs the simulation on all cores.
  ///
  /// - Returns: The number of requests to the service in each second.
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

  /// Steps one device from request to request.
  private func run(_ device: Int, _ questions: inout [UInt32]) {
    var generator = SeededGenerator(seed: seed << 32 ^ UInt64(device))
    var machine = CacheMachine<FleetKey>(source: "token service", configuration: CredentialCacheConfiguration())
    let rejection = Duration.seconds(Double(Story.rejection) + .random(in: 0..<1, using: &generator))
    var uptime = Duration.seconds(Double.random(in: 0..<1, using: &generator))
    var isRejected = false
    while case .due(at: let next) = machine.nextRequest(after: uptime) {
      var rejected: CredentialGeneration?
      uptime = next
      if next >= rejection, !isRejected {
        isRejected = true
        uptime = rejection
        rejected = machine.servableCredential(lasting: .zero, at: uptime)?.generation
      }
      let requirement = CacheMachine<FleetKey>.Requirement(lasting: .zero, rejected: rejected)
      let second = Int(uptime.components.seconds)
      guard second < Story.end else { return }
      let isAway = (Story.outage..<Story.recovery).contains(second)
      for case .startRequest(let request) in machine.admit(1, requirement, at: uptime).1 {
        questions[second] += 1
        _ = machine.finishRequest(
          request, isAway ? .failure(Self.away) : .success(key(at: uptime)), at: uptime, wallClock: Self.midnight,
          random: .random(in: 0...1, using: &generator))
      }
    }
  }

  /// Returns the key that the service issues at a time.
  private func key(at uptime: Duration) -> IssuedCredential<FleetKey> {
    let now = Self.midnight.advanced(by: uptime)
    return IssuedCredential(FleetKey(expiration: now.advanced(by: .seconds(life))), issuerTime: now)
  }

  private static let midnight = Timestamp(unixSeconds: 1_800_000_000)
  private static let away = CredentialError(
    .failed, source: "token service", "It is away.", remedy: "Wait.", isRetryable: true)
}

/// A credential that consists only of its expiration.
private struct FleetKey: Credential {
  var expiration: Timestamp?
}
