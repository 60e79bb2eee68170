# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

# Stands in for the gem word_wrap, which Debian lacks: the function that aspera-cli calls to fill cells of tables.
module WordWrap
  def self.ww(text, width)
    text.gsub(/(.{1,#{width}})(?:\s+|\z)/, "\\1\n")
  end
end
