// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import StorageClient
import SystemPackage

extension Schedule {
  typealias State = (source: Snapshot, target: Snapshot, outside: [Bytes: Bytes])

  /// Checks what holds after each run, whatever happened.
  mutating func check(
    _ outcomes: [Outcome], of processes: [SimulatedFiles], _ before: State, _ circumstances: Circumstances,
    isKilled: Bool
  ) {
    let after: State = (world.source(circumstances.sourceIndex), world.targetSnapshot, world.outside)
    world.record(circumstances.sourceIndex)
    guard !world.isNested else { return checkNested(outcomes, before, after) }
    checkOutside(before, after)
    checkPermissions(before, after)
    checkContents(before, after)
    checkDeletions(outcomes, before, after, isKilled: isKilled)
    if circumstances.lie != nil { checkLie(outcomes, processes, before, after) }
    let reports = outcomes.compactMap { outcome -> SyncReport? in
      if case .report(let report) = outcome { report } else { nil }
    }
    if before.source.isMissing, world.disturbedSource.isEmpty, !reports.isEmpty {
      report("a missing source was not refused")
    }
    if circumstances.areTwoCalmRuns, world.direction == .down { checkApart(reports, before) }
    if outcomes.count == 1, let report = reports.first {
      checkSuccess(report, before, after)
      if circumstances.isCalm { checkCalm(report, before) }
    }
    if circumstances.isCalm, case .failure(let error)? = outcomes.first { checkFailure(error, before) }
  }

  /// Checks that files outside of the folder are as before, and arrived on neither side.
  private mutating func checkOutside(_ before: State, _ after: State) {
    if before.outside != after.outside { report("something outside of the folder was changed") }
    let files = Array(after.source.files.values) + Array(after.target.files.values)
    if files.contains(where: { $0.bytes.starts(with: World.marker) }) {
      report("a file from outside of the folder was transferred")
    }
  }

  /// One side that is inside the other is refused before anything is changed.
  private mutating func checkNested(_ outcomes: [Outcome], _ before: State, _ after: State) {
    for outcome in outcomes {
      guard case .failure(let error as StorageError) = outcome, error.code == .invalidOption else {
        report("one side inside the other was not refused: \(outcome)")
        continue
      }
    }
    if before.source != after.source, world.disturbedSource.isEmpty { report("a refused run changed its source") }
  }

  /// A file keeps the permissions of the file that it replaces.
  private mutating func checkPermissions(_ before: State, _ after: State) {
    for (path, file) in after.target.files where !isDisturbed(path, target: true) {
      guard let old = before.target.files[path], old.permissions != file.permissions else { continue }
      report("\(path.text) lost its permissions")
    }
  }

  /// A path has the content that it had, or one that the source had at this path during the run.
  private mutating func checkContents(_ before: State, _ after: State) {
    for (path, file) in after.target.files where before.target.files[path]?.bytes != file.bytes {
      let known = world.sourceHistory[path, default: []].union(world.targetWrites[path, default: []])
      if !world.selects(path), !world.targetWrites[path, default: []].contains(file.bytes) {
        report("\(path.text) was transferred, although it is not selected")
      }
      if !known.contains(file.bytes) {
        report("\(path.text) has a content that the source never had there: \(Bytes(file.bytes.prefix(24)).text)")
      }
    }
  }

  /// Checks that the target only lost what the source does not have, if deletions were asked for.
  private mutating func checkDeletions(
    _ outcomes: [Outcome], _ before: State, _ after: State, isKilled: Bool
  ) {
    let mayDelete =
      isKilled
      || outcomes.contains { outcome in
        guard case .report(let report) = outcome else { return false }
        return report.transfers.isComplete || world.options.deletesAfterFailures
      }
    let options = world.options
    let isSelectedSource = !before.source.files.keys.filter { world.selects($0) }.isEmpty
    for path in before.target.files.keys where after.target.files[path] == nil && !isDisturbed(path, target: true) {
      if !options.deletes || !world.selects(path) {
        report("\(path.text) was deleted, although no option asked for it")
      } else if before.source.isMissing {
        report("\(path.text) was deleted, although the source does not exist")
      } else if !mayDelete, !isObstacle(path, before.source) {
        report("\(path.text) was deleted by a run that failed")
      } else if !isDisturbed(path, target: false) {
        if before.source.files[path] != nil { report("\(path.text) was deleted, although the source has it") }
        if isBlocked(path, before.source) { report("\(path.text) was deleted, although the source skipped it") }
        if !isSelectedSource, !options.allowsEmptySource, world.disturbedSource.isEmpty {
          report("\(path.text) was deleted, although the source is empty")
        }
      }
    }
  }

  /// Whether a file of the source has the place of a target's file, or needs it for its folder.
  private func isObstacle(_ path: Bytes, _ source: Snapshot) -> Bool {
    source.files.keys.contains { $0.ancestors.contains(path) || path.ancestors.contains($0) }
  }

  /// Whether the source has something other than a file at a path or above it.
  private func isBlocked(_ path: Bytes, _ source: Snapshot) -> Bool {
    for place in path.ancestors + [path] {
      if source.others.contains(place) { return true }
      // A name that is not UTF-8 can be each name that has its ASCII characters.
      let folder = Bytes(place[..<(place.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)])
      let name = place.dropFirst(folder.count)
      for other in source.others where other == folder + [0x61, 0xE9, 0x62] && !world.disturbedSource.contains(other) {
        if name.first == 0x61, name.last == 0x62, name.count > 1 { return true }
      }
    }
    return false
  }

  /// Whether another program changed something at a path, above it or below it.
  private func isDisturbed(_ path: Bytes, target: Bool) -> Bool {
    let disturbed = target ? world.disturbedTarget : world.disturbedSource
    return disturbed.contains { other in
      other == path || path.starts(with: other + [UInt8(ascii: "/")]) || other.starts(with: path + [UInt8(ascii: "/")])
    }
  }

  /// After success, the target has what the source has, and no more if deletions were asked for.
  private mutating func checkSuccess(_ run: SyncReport, _ before: State, _ after: State) {
    guard run.isComplete else { return }
    let options = world.options
    for (path, file) in before.source.files where world.selects(path) {
      if isDisturbed(path, target: false) || isDisturbed(path, target: true) { continue }
      if after.target.files[path]?.bytes == file.bytes { continue }
      let old = before.target.files[path]
      let isCurrent =
        options.comparison == .sizeAndTime && old?.bytes.count == file.bytes.count
        && file.modified <= old?.modified ?? .min
      if !isCurrent { report("\(path.text) is missing after success, or has other bytes") }
    }
    guard options.deletes else { return }
    for path in before.target.files.keys where world.selects(path) && before.source.files[path] == nil {
      if isDisturbed(path, target: false) || isDisturbed(path, target: true) { continue }
      if after.target.files[path] != nil { report("\(path.text) is still there after success") }
    }
  }

  /// Checks that one of two runs at once is refused, or is not hindered by the other.
  private mutating func checkApart(_ reports: [SyncReport], _ before: State) {
    let paths = before.source.files.keys.filter { world.selects($0) }
    guard paths.allSatisfy(\.isPath), !hasObstacles(Set(paths), before.target) else { return }
    for run in reports where !run.isComplete { report("two runs hindered each other: \(run.transfers.failures)") }
  }

  /// Without faults, everything that can be transferred is, and no incomplete file is left behind.
  private mutating func checkCalm(_ run: SyncReport, _ before: State) {
    let paths = before.source.files.keys.filter { world.selects($0) }
    let isPossible = world.direction != .down || paths.allSatisfy(\.isPath) && !hasObstacles(Set(paths), before.target)
    if isPossible, !run.transfers.isComplete || !run.failedDeletions.isEmpty {
      report("a run without faults failed: \(run.transfers.failures) \(run.failedDeletions)")
    }
    guard run.isComplete else { return }
    let staging: FilePath.Component = ".storage-auth-sync"
    if world.direction == .down, world.root.children?[staging] != nil {
      report("the folder for incomplete files is left after success")
    }
  }

  /// Whether a file and a folder want one name, or something other than a file or a folder has it.
  private func hasObstacles(_ paths: Set<Bytes>, _ target: Snapshot) -> Bool {
    let all = paths.union(target.files.keys).union(target.others)
    if all.contains(where: { path in path.ancestors.contains { all.contains($0) } }) { return true }
    if !world.options.deletes, !paths.isDisjoint(with: target.folders) { return true }
    return !target.others.isEmpty
  }

  /// Without faults, a run only fails if its source is missing or empty.
  private mutating func checkFailure(_ error: any Error, _ before: State) {
    if let error = error as? StorageError, error.code == .emptySource, world.options.deletes { return }
    if before.source.isMissing { return }
    // Another program has put something else in the place of the folder for incomplete files.
    if let staging = world.disk.folder("/home").children?["root"]?.children?[".storage-auth-sync"],
      staging.children == nil
    {
      return
    }
    report("a run without faults ended with \(error)")
  }

  /// A listing that is wrong has no effect.
  private mutating func checkLie(
    _ outcomes: [Outcome], _ processes: [SimulatedFiles], _ before: State, _ after: State
  ) {
    let reports = outcomes.compactMap { if case .report(let report) = $0 { report } else { nil } }
    if reports.count > processes.count(where: { !$0.hasReceivedLie }) {
      report("a wrong listing was believed: \(reports)")
    }
    guard processes.allSatisfy(\.hasReceivedLie) else { return }
    if world.targetWrites.isEmpty, world.disturbedTarget.isEmpty, before.target.files != after.target.files {
      report("a wrong listing changed the target")
    }
  }
}
