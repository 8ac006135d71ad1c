# adjudge alone in an empty image: one static program, which needs no shell, no C library and no /dev.
#   docker build --tag adjudge . && docker run --publish 8017:8017 --volume adjudge:/data adjudge
# scripts/image builds it without a registry and proves what it promises.
ARG RUST_IMAGE=docker.io/library/rust:1.95-bookworm
FROM ${RUST_IMAGE} AS build
WORKDIR /src
COPY . .
# A static program cannot look the C library's `getrandom` up, so it is told to call the kernel.
ENV RUSTFLAGS="-C target-feature=+crt-static --cfg getrandom_backend=\"linux_getrandom\""
# The target is named, although it is the builder's own: without a name the flags would hold for procedural macros
# too, and those cannot be static.
RUN host=$(rustc --print host-tuple) \
 && cargo build --release --locked --target "$host" \
 && install -D --mode=0755 "target/$host/release/adjudge" /out/adjudge \
 && install --directory --owner=65532 --group=65532 /out/data

FROM scratch
COPY --from=build /out/adjudge /adjudge
COPY --from=build --chown=65532:65532 /out/data /data
USER 65532:65532
ENV ADJUDGE_LISTEN=0.0.0.0:8017 ADJUDGE_DATA=/data
VOLUME /data
EXPOSE 8017
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["/adjudge", "healthcheck"]
ENTRYPOINT ["/adjudge"]
CMD ["serve"]
