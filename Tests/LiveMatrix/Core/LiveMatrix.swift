// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaClient
package import StorageAuth

/// The matrix of services and steps, against the buckets and the node that an environment names.
///
/// No request is sent unless the environment has `STORAGE_AUTH_LIVE=1` and names a bucket or a node. A service that is
/// not named is one row that says what is missing.
package struct LiveMatrix: Sendable {
  /// The services, in the order of the report.
  package static let services = [ossV4, ossV1, cosV5, s3V4, aspera]

  static let ossV4 = "OSS V4"
  static let ossV1 = "OSS V1"
  static let cosV5 = "COS V5"
  static let s3V4 = "S3 V4"
  static let aspera = "Aspera node"

  /// The steps of a service, or the reason for which it is left out.
  private enum Section: Sendable {
    case steps(ServiceSteps)
    case missing(service: String, reason: String)
  }

  private let context: LiveContext
  private let sections: [Section]

  /// Creates the matrix of an environment.
  ///
  /// - Parameters:
  ///   - transport: The transport of all requests.
  ///   - time: The clock of signatures, waits and durations.
  ///   - retryDelay: The delay before a request is repeated.
  ///   - environment: A closure that returns the value of a variable, or `nil` if it is not set.
  package init(
    transport: any HTTPTransport, time: any SigningClock = .system, retryDelay: Duration = .milliseconds(200),
    environment: @escaping @Sendable (String) -> String?
  ) {
    let context = LiveContext(
      environment: environment, transport: CountingTransport(transport), time: time, retryDelay: retryDelay)
    self.context = context
    func section(_ service: String, variables: String..., steps: ([String]) -> ServiceSteps) -> Section {
      let permission = context.value("STORAGE_AUTH_LIVE") == "1" ? [] : ["STORAGE_AUTH_LIVE=1"]
      let missing = permission + variables.filter { context.value($0) == nil }
      guard missing.isEmpty else {
        return .missing(service: service, reason: "not set: \(missing.joined(separator: ", "))")
      }
      return .steps(steps(variables.compactMap { context.value($0) }))
    }
    sections = [
      section(Self.ossV4, variables: "OSS_BUCKET", "OSS_REGION") { values in
        Self.oss(.v4, bucket: values[0], region: values[1], in: context)
      },
      section(Self.ossV1, variables: "OSS_BUCKET", "OSS_REGION") { values in
        Self.oss(.v1, bucket: values[0], region: values[1], in: context)
      },
      section(Self.cosV5, variables: "COS_BUCKET", "COS_REGION") { values in
        Self.cos(bucket: values[0], region: values[1], in: context)
      },
      section(Self.s3V4, variables: "S3_BUCKET", "S3_REGION") { values in
        Self.s3(bucket: values[0], region: values[1], in: context)
      },
      section(Self.aspera, variables: "ASPERA_NODE_URL") { values in
        AsperaSteps(node: values[0], in: context).serviceSteps
      },
    ]
  }

  /// The most that a run costs.
  package var cost: Cost { configuredSteps.map(\.cost).reduce(Cost(requests: 0), +) }

  /// The cost of a run at most, and the locations below which it creates objects: a line for each service, and the sum.
  package var announcement: String {
    let lines = configuredSteps.map { "\($0.service): at most \($0.cost), below \($0.location)" }
    return (lines + ["Together: at most \(cost)."]).joined(separator: "\n")
  }

  private var configuredSteps: [ServiceSteps] {
    sections.compactMap { if case .steps(let steps) = $0 { steps } else { nil } }
  }

  /// Carries out all steps, one after another, and removes what they have created.
  ///
  /// A step that fails does not stop the others. If the task is cancelled, or if a bucket keeps versions, the current step
  /// ends, the remaining steps are skipped, and what was created is removed nevertheless.
  ///
  /// - Parameter didEnd: A closure that receives each row as soon as its step has ended.
  /// - Returns: All rows, and what the run cost.
  package func run(didEnd: (LiveRow) -> Void = { _ in }) async -> LiveReport {
    var report = LiveReport()
    func add(_ row: LiveRow) {
      report.rows.append(row)
      didEnd(row)
    }
    for section in sections {
      switch section {
      case .missing(let service, let reason): add(LiveRow(service, "all", .skipped(reason)))
      case .steps(let serviceSteps):
        let isStarted = !Task.isCancelled
        var obstacle: String?
        for step in serviceSteps.steps {
          if let reason = obstacle ?? (Task.isCancelled ? "the run was interrupted" : nil) {
            add(LiveRow(serviceSteps.service, step.name, .skipped(reason)))
          } else {
            let result = await carryOut(step, of: serviceSteps.service)
            add(result.row)
            obstacle = result.obstacle
          }
        }
        if isStarted { add(await carryOut(serviceSteps.cleanup, of: serviceSteps.service).row) }
      }
    }
    (report.requests, report.bytes) = (context.transport.counts.requests, context.transport.counts.bytes)
    report.isInterrupted = Task.isCancelled
    return report
  }

  /// Carries out a step, and returns its row and the reason for which no further step makes sense, or `nil`.
  ///
  /// The step ends in a task that is not cancelled with the run: a service could store the object of a cancelled request
  /// after the cleanup.
  private func carryOut(_ step: Step, of service: String) async -> (row: LiveRow, obstacle: String?) {
    await Task {
      context.transport.forgetRequestID()
      let start = context.time.uptime
      var obstacle: String?
      let outcome: LiveRow.Outcome
      do {
        try await step.run()
        outcome = .passed
      } catch StepError.skipped(let reason) {
        outcome = .skipped(reason)
      } catch StepError.obstacle(let reason) {
        outcome = .failed(reason)
        obstacle = reason
      } catch {
        outcome = .failed("\(error)")
      }
      let row = LiveRow(
        service, step.name, outcome, duration: context.time.uptime - start,
        requestID: context.transport.counts.requestID)
      return (row, obstacle)
    }.value
  }
}

extension LiveMatrix {
  /// The lifetime of the keys of a role, which is the shortest that all token services grant.
  private static let roleKeyLifetime = Duration.seconds(900)

  private static func oss(
    _ version: OSSSignatureVersion, bucket: String, region: String, in context: LiveContext
  ) -> ServiceSteps {
    let keys = LiveKeys("OSS", in: context, own: .alibabaDefault) { arn, own, url in
      AlibabaAssumeRoleProvider(
        roleARN: arn, credentials: own, duration: roleKeyLifetime, endpoint: url.map { .url($0) } ?? .region(region))
    }
    return BucketSteps(
      service: version == .v4 ? ossV4 : ossV1,
      provider: .oss(bucket: bucket, region: region, signature: version, endpoint: context.value("OSS_ENDPOINT")),
      context: context, keys: keys, minimumPartSize: 100 << 10
    ).serviceSteps
  }

  private static func cos(bucket: String, region: String, in context: LiveContext) -> ServiceSteps {
    let keys = LiveKeys("COS", in: context, own: .tencentDefault) { arn, own, url in
      TencentAssumeRoleProvider(
        roleARN: arn, credentials: own, duration: roleKeyLifetime, region: region,
        endpoint: url.map { .url($0) } ?? .standard)
    }
    let endpoint = context.value("COS_ENDPOINT")
    let windows = COSWindows(context: context, keys: keys) {
      .cos(bucket: bucket, region: region, endpoint: endpoint, keyTime: $0)
    }
    return BucketSteps(
      service: cosV5, provider: .cos(bucket: bucket, region: region, endpoint: endpoint), context: context, keys: keys,
      minimumPartSize: 1 << 20, ownSteps: windows.steps
    ).serviceSteps
  }

  private static func s3(bucket: String, region: String, in context: LiveContext) -> ServiceSteps {
    let keys = LiveKeys("S3", in: context, own: .amazonDefault) { arn, own, url in
      AmazonAssumeRoleProvider(
        roleARN: arn, credentials: own, duration: roleKeyLifetime,
        endpoint: url.map { .url($0, region: region) } ?? .region(region))
    }
    return BucketSteps(
      service: s3V4, provider: .s3(bucket: bucket, region: region, endpoint: context.value("S3_ENDPOINT")),
      context: context, keys: keys, minimumPartSize: 5 << 20
    ).serviceSteps
  }
}
