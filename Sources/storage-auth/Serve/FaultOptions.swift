internal import ArgumentParser
internal import LocalCloud

/// The options for the faults that the server injects.
struct FaultOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Every nth answer of an endpoint is a 500, and nothing is done.", valueName: "n"))
  var failEvery: Int?

  @Option(
    help: ArgumentHelp(
      "Every nth answer of an endpoint is lost: it is done, and the connection is closed.", valueName: "n"))
  var loseEvery: Int?

  @Option(help: ArgumentHelp("Every nth answer of an endpoint ends in the middle.", valueName: "n"))
  var cutEvery: Int?

  @Option(help: ArgumentHelp("Every nth document of an endpoint, XML or JSON, is only half there.", valueName: "n"))
  var malformEvery: Int?

  @Option(help: ArgumentHelp("Every answer is late by so many seconds.", valueName: "seconds"))
  var delay: Double?

  @Option(
    help: ArgumentHelp(
      "Only this endpoint gets it wrong: oss, cos, sts, appServer, metadata, node or transfer; repeatable. All if not given.",
      valueName: "endpoint"),
    transform: { name in
      guard let endpoint = LocalCloud.Endpoint(rawValue: name) else {
        throw ValidationError("\"\(name)\" is no endpoint; use one of those that --help lists.")
      }
      return endpoint
    })
  var faulty: [LocalCloud.Endpoint] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How far the clock of the cloud is ahead; negative for behind.", valueName: "seconds"))
  var clockOffset = 0

  @Option(
    help: ArgumentHelp("After how many requests an issued token counts as expired; 0 at once.", valueName: "count"))
  var requestsPerToken: Int?

  @Option(
    help: ArgumentHelp(
      "Transfers of Aspera fail with this code of ascp, all or every nth; repeatable.", valueName: "code[:n]"))
  var transferFault: [TransferFaultArgument] = []

  func validate() throws {
    for (name, number) in [
      ("fail", failEvery), ("lose", loseEvery), ("cut", cutEvery), ("malform", malformEvery),
    ] {
      if let number, number < 1 { throw ValidationError("--\(name)-every has to be at least 1.") }
    }
    if let delay, !(0...3600).contains(delay) { throw ValidationError("--delay has to be from 0 to 3600 seconds.") }
    if let requestsPerToken, requestsPerToken < 0 {
      throw ValidationError("--requests-per-token cannot be negative.")
    }
  }

  var faults: LocalCloud.Faults {
    var faults = LocalCloud.Faults(
      clockOffset: .seconds(clockOffset), requestsPerToken: requestsPerToken,
      transfers: transferFault.map(\.fault))
    let list: [LocalCloud.Fault?] = [
      failEvery.map { .serverError(.every($0)) }, loseEvery.map { .disconnect(.every($0), .after) },
      cutEvery.map { .cut(.every($0)) }, malformEvery.map { .malformed(.every($0)) },
      delay.map { .delay(.seconds($0)) },
    ]
    for endpoint in faulty.isEmpty ? LocalCloud.Endpoint.allCases : faulty {
      faults[endpoint] = list.compactMap(\.self)
    }
    return faults
  }
}
