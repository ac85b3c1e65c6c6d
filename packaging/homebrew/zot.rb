# The formula of the tap: docs/releasing.md says where it goes. `make release-check` fills in the SHA-256.
class Zot < Formula
  desc "Coding agent for the terminal and for editors"
  homepage "https://github.com/OWNER/zot"
  version "0.1.0"
  url "https://github.com/OWNER/zot/releases/download/v#{version}/zot_agent-#{version}.tar.gz"
  sha256 "SHA256"
  license "MIT"

  depends_on "python@3.13"
  depends_on "uv"

  # Homebrew would write longer names into the compiled files of wheels, and some have no room for them.
  preserve_rpath

  def install
    ENV["UV_TOOL_DIR"] = libexec
    ENV["UV_TOOL_BIN_DIR"] = bin
    # A Python that uv downloads would be in the home of the build, which is removed.
    python = Formula["python@3.13"].opt_bin/"python3.13"
    system "uv", "tool", "install", "--python", python, "zot-agent==#{version}"
    (libexec/"zot-agent/zot-update.txt").write "brew upgrade zot\n"
    generate_completions_from_executable(bin/"zot", "completions")
  end

  test do
    assert_equal "zot #{version}\n", shell_output("#{bin}/zot --version")
  end
end
