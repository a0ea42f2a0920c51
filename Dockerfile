# make image; docker run --rm --volume "$PWD:/data" adjudge look votes.csv
FROM python:3.12-slim AS built
WORKDIR /src
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src src
RUN python -m venv /adjudge && /adjudge/bin/pip install --no-cache-dir --constraint constraints.txt .

FROM python:3.12-slim
RUN useradd --create-home --uid 1000 adjudge
COPY --from=built /adjudge /adjudge
ENV PATH=/adjudge/bin:$PATH PYTHONDONTWRITEBYTECODE=1
USER adjudge
WORKDIR /data
ENTRYPOINT ["adjudge"]
CMD ["--help"]
