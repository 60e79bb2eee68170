// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AsperaAuth
internal import LocalCloud

struct FaultOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Reject every nth request of an endpoint with a 500; do not execute it.", valueName: "n"))
  var failEvery: Int?

  @Option(
    help: ArgumentHelp(
      "Execute every nth request of an endpoint, but close the connection without a response.", valueName: "n"))
  var loseEvery: Int?

  @Option(help: ArgumentHelp("Truncate every nth response of an endpoint in the middle.", valueName: "n"))
  var cutEvery: Int?

  @Option(help: ArgumentHelp("Send only half of every nth document (XML or JSON) of an endpoint.", valueName: "n"))
  var malformEvery: Int?

  @Option(help: ArgumentHelp("Delay every response by this number of seconds.", valueName: "seconds"))
  var delay: Double?

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
    help: ArgumentHelp("How far the clock of the cloud is ahead; negative for behind.", valueName: "seconds"))
  var clockOffset = 0

  @Option(
    help: ArgumentHelp("The number of requests after which an issued token expires; 0: at once.", valueName: "count"))
  var requestsPerToken: Int?

  @Option(
    help: ArgumentHelp(
      "Let all Aspera transfers, or every nth, fail with this ascp code; repeatable.", valueName: "code[:n]"))
  var transferFault: [TransferFaultArgument] = []

  func validate() throws {
    let intervals = [("fail", failEvery), ("lose", loseEvery), ("cut", cutEvery), ("malform", malformEvery)]
    for (name, interval) in intervals {
      if let interval, interval < 1 { throw ValidationError("--\(name)-every must be at least 1.") }
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
    let faultsOfEndpoint: [LocalCloud.Fault?] = [
      failEvery.map { .serverError(.every($0)) }, loseEvery.map { .disconnect(.every($0), .after) },
      cutEvery.map { .cut(.every($0)) }, malformEvery.map { .malformed(.every($0)) },
      delay.map { .delay(.seconds($0)) },
    ]
    for endpoint in faulty.isEmpty ? LocalCloud.Endpoint.allCases : faulty {
      faults[endpoint] = faultsOfEndpoint.compactMap(\.self)
    }
    return faults
  }
}

/// An argument that specifies a failure of Aspera transfers: `CODE`, or `CODE:N` for every nth transfer.
struct TransferFaultArgument: ExpressibleByArgument {
  let fault: LocalCloud.TransferFault

  init?(argument: String) {
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
    guard (1...2).contains(parts.count), let code = parts[0], AscpErrorCode(code) != nil else { return nil }
    guard parts.count == 2 else {
      fault = .failure(code: code)
      return
    }
    guard let number = parts[1], number > 0 else { return nil }
    fault = .failure(code: code, .afterAuthentication, .every(number))
  }
}
