// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageJSON

extension ConfigurationKeys {
  /// Returns the members of a JSON object that no reader of settings would read, with dots between the parts of a name.
  ///
  /// A reader asks for the keys that it knows, so that a misspelled key would have no effect. Check the objects of a
  /// file that belong to this package before they are read:
  ///
  /// ```swift
  /// let unknown = ConfigurationKeys.unknown(in: document["client"]?.object ?? [:], besides: ConfigurationKeys.client)
  /// ```
  ///
  /// - Parameters:
  ///   - object: The object, which the file contains below the scope of the reader.
  ///   - keys: The keys that the reader knows.
  /// - Returns: The names of the unknown members, each with the most similar known name, or `nil` if there is none.
  public static func unknown(
    in object: JSONObject, besides keys: [ConfigurationKey]
  ) -> [(name: String, similar: String?)] {
    let known = keys.map(\.name)
    return names(in: object, below: "").filter { !known.contains($0) }.map { ($0, similar(to: $0, in: known)) }
  }

  private static func names(in object: JSONObject, below prefix: String) -> [String] {
    var found: [String] = []
    for (name, value) in object {
      if let inner = value.object, !inner.isEmpty {
        found += names(in: inner, below: "\(prefix)\(name).")
      } else {
        found.append(prefix + name)
      }
    }
    return found
  }

  /// Returns the name that differs from another in the fewest characters, or `nil` if none is similar.
  ///
  /// - Parameters:
  ///   - name: The name that was not found.
  ///   - known: The names to choose from.
  package static func similar(to name: String, in known: [String]) -> String? {
    let longest = 64
    let characters = Array(name.lowercased().prefix(longest))
    let ranked = known.map { ($0, distance(characters, Array($0.lowercased().prefix(longest)))) }
    guard let (best, distance) = ranked.min(by: { $0.1 < $1.1 }), distance <= max(2, characters.count / 3) else {
      return nil
    }
    return best
  }

  /// Returns the number of insertions, deletions and replacements that turn one name into another.
  private static func distance(_ first: [Character], _ second: [Character]) -> Int {
    var row = Array(0...second.count)
    for (line, character) in first.enumerated() {
      var diagonal = row[0]
      row[0] = line + 1
      for (column, other) in second.enumerated() {
        let replaced = diagonal + (character == other ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
      }
    }
    return row[second.count]
  }
}
