// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

#if STORAGE_AUTH_NIO
  package import StorageAuth
  package import Subprocess

  // What all programs have in common: ascp, the commands of credential sources, and the programs of a probe.

  extension PlatformOptions {
    /// A session of its own for the program, whose processes are all killed if the task is cancelled.
    package static var ownSession: PlatformOptions {
      var options = PlatformOptions()
      options.createSession = true
      options.teardownSequence = [.send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .zero)]
      return options
    }
  }

  extension Environment {
    /// Returns an environment of only the given variables.
    package static func only(_ variables: [String: String]) -> Environment { .custom(variables.environment) }

    /// Returns the environment of this process with the given variables in addition.
    package static func inherited(adding variables: [String: String]) -> Environment {
      .inherit.updating(variables.environment)
    }
  }

  extension [String: String] {
    fileprivate var environment: [Environment.Key: String] {
      var environment: [Environment.Key: String] = [:]
      for (name, value) in self {
        if let key = Environment.Key(rawValue: name) { environment[key] = value }
      }
      return environment
    }
  }

  extension SigningClock {
    /// Runs a program for at most a duration.
    ///
    /// When the function returns, the program has ended.
    ///
    /// - Parameters:
    ///   - duration: The time limit.
    ///   - timeout: The error to throw at the time limit.
    ///   - cancelled: The error to throw if the task is cancelled.
    ///   - run: A closure that runs the program, and kills it if its task is cancelled.
    package func running<Outcome: Sendable, Failure: Error>(
      for duration: Duration, timeout: Failure, cancelled: Failure,
      _ run: @escaping @Sendable () async -> Result<Outcome, Failure>
    ) async throws(Failure) -> Outcome {
      let result = await withTaskGroup(of: Result<Outcome, Failure>.self) { group in
        group.addTask { await run() }
        group.addTask {
          do {
            try await self.sleep(for: duration)
            return .failure(timeout)
          } catch {
            return .failure(cancelled)
          }
        }
        // The other task is cancelled, and the program has ended when the group has ended.
        defer { group.cancelAll() }
        return await group.next() ?? .failure(cancelled)
      }
      if Task.isCancelled { throw cancelled }
      return try result.get()
    }
  }
#endif
