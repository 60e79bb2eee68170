// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AsperaAuth
internal import LocalCloud

/// The options for faults that a local cloud injects, so that a client can be tested against them.
struct FaultOptions: ParsableArguments {
  @Option(help: .text("Reject every nth request of an endpoint with a 500; do not execute it.", value: "n"))
  var failEvery: Int?

  @Option(
    help: .text("Execute every nth request of an endpoint, but close the connection without a response.", value: "n"))
  var loseEvery: Int?

  @Option(help: .text("Truncate every nth response of an endpoint in the middle.", value: "n")) var cutEvery: Int?

  @Option(help: .text("Send only half of every nth document (XML or JSON) of an endpoint.", value: "n"))
  var malformEvery: Int?

  @Option(help: .text("Delay every response by this number of seconds.", value: "seconds")) var delay: Double?

  @Option(
    help: ArgumentHelp(
      "Inject the faults above only into this endpoint: oss, cos, s3, sts, appServer, metadata, node or transfer; "
        + "repeatable. All by default.", valueName: "endpoint"),
    transform: { name in
      guard let endpoint = LocalCloud.Endpoint(rawValue: name) else {
        throw ValidationError("\"\(name)\" is not an endpoint; use one of those that --help lists.")
      }
      return endpoint
    })
  var faulty: [LocalCloud.Endpoint] = []

  @Option(
    parsing: .unconditional,
    help: .text("How far the clock of the cloud is ahead; negative for behind.", value: "seconds"))
  var clockOffset = 0

  @Option(help: .text("The number of requests after which an issued token expires; 0: at once.", value: "count"))
  var requestsPerToken: Int?

  @Option(
    help: .text("Let all Aspera transfers, or every nth, fail with this ascp code; repeatable.", value: "code[:n]"))
  var transferFault: [TransferFaultArgument] = []

  func validate() throws {
    let intervals = [("fail", failEvery), ("lose", loseEvery), ("cut", cutEvery), ("malform", malformEvery)]
    for case (let name, let interval?) in intervals where interval < 1 {
      throw ValidationError("--\(name)-every must be at least 1.")
    }
    if let delay, !(0...3600).contains(delay) { throw ValidationError("--delay must be from 0 to 3600 seconds.") }
    if let requestsPerToken, requestsPerToken < 0 {
      throw ValidationError("--requests-per-token must not be negative.")
    }
  }

  var faults: LocalCloud.Faults {
    var faults = LocalCloud.Faults(
      clockOffset: .seconds(clockOffset), requestsPerCredential: requestsPerToken,
      transfers: transferFault.map(\.fault))
    let endpointFaults: [LocalCloud.Fault?] = [
      failEvery.map { .serverError(.every($0)) }, loseEvery.map { .disconnect(.every($0), .after) },
      cutEvery.map { .cut(.every($0)) }, malformEvery.map { .malformed(.every($0)) },
      delay.map { .delay(.seconds($0)) },
    ]
    for endpoint in faulty.isEmpty ? LocalCloud.Endpoint.allCases : faulty {
      faults[endpoint] = endpointFaults.compactMap(\.self)
    }
    return faults
  }
}

/// An argument that specifies a failure of Aspera transfers: `CODE`, or `CODE:N` for every nth transfer.
struct TransferFaultArgument: ExpressibleByArgument {
  let fault: LocalCloud.TransferFault

  init?(argument: String) {
    let numbers = argument.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
    guard (1...2).contains(numbers.count), let code = numbers[0], AscpErrorCode(code) != nil else { return nil }
    guard numbers.count == 2 else {
      fault = .failure(code: code)
      return
    }
    guard let interval = numbers[1], interval > 0 else { return nil }
    fault = .failure(code: code, .afterAuthentication, .every(interval))
  }
}
