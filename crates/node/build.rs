//! Build script of the addon.

fn main() {
    napi_build::setup();
}
